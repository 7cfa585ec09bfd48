// SPDX-License-Identifier: MIT
/* smc_chk/doctor: what the checks say of made-up facts, without a host. */
#include "test.h"

#include <stdio.h>

#include "smc_chk/doctor/checks.h"

/* A kernel 6.12 with SMC and eth0, whose port is that of mlx5_0; what else there is a test adds. */
struct host {
	struct netdev nets[1];
	struct rdma_dev devs[1];
	struct ism_dev isms[2];
	struct ism_facts ism_facts[2];
	struct pnet_row rows[3];
	struct choice choices[1];
	struct doctor_facts facts;
	struct chk_request req;
	struct doctor doc;
};

static void start(struct host *host)
{
	struct doctor_facts *facts = &host->facts;

	memset(host, 0, sizeof(*host));
	host->nets[0] = (struct netdev){ .name = "eth0", .base = "eth0" };
	strcpy(host->devs[0].name, "mlx5_0");
	host->rows[0] = (struct pnet_row){ PNET_NET, .name = "eth0", .pnetid = "" };
	host->rows[0].net = host->nets;
	host->choices[0] = (struct choice){ .net = host->rows, .smcd = UNUSABLE_NO_DEVICE };
	facts->version[0] = 6;
	facts->version[1] = 12;
	facts->has_smc = true;
	facts->netdevs = (struct netdev_table){ host->nets, 1 };
	facts->rdma = (struct rdma_table){ host->devs, 1, host->isms, 0 };
	facts->isms = host->ism_facts;
	facts->choices.facts.nets = &facts->netdevs;
	facts->choices.facts.rows = (struct pnet_rows){ host->rows, 1 };
	facts->choices.facts.is_eid_known = true;
	facts->choices.all = host->choices;
	facts->choices.count = 1;
	facts->memory.page_size = 4096;
	host->doc = (struct doctor){ .req = &host->req, .facts = facts };
}

/* An ISM device, with its row. */
static void add_ism(struct host *host, const char *name, int32_t chid, const char *pnetid)
{
	struct ism_dev *ism = &host->isms[host->facts.rdma.n_isms++];
	struct pnet_row *row = &host->rows[host->facts.choices.facts.rows.count++];

	ism->chid = chid;
	strcpy(ism->name, name);
	*row = (struct pnet_row){ PNET_ISM, .name = ism->name, .pnetid = pnetid, .ism = ism };
	host->ism_facts[ism - host->isms].has_driver = true;
}

/* The text of the file that the checks know by this name. */
static void set_knob(struct host *host, const char *name, const char *text)
{
	for (size_t i = 0; i < FACTS_KNOBS; i++) {
		char old[FACTS_KNOB_SIZE];

		strcpy(old, host->facts.knobs[i]);
		strcpy(host->facts.knobs[i], "?");
		if (knob_text(&host->facts, name) == host->facts.knobs[i]) {
			strcpy(host->facts.knobs[i], text);
			return;
		}
		strcpy(host->facts.knobs[i], old);
	}
	fail_msg("no check reads %s", name);
}

/* Run a check: it says just this, one line a finding, "level check object|text|remedy". */
static void check_says(struct host *host, void (*check)(struct doctor *doc), const char *want)
{
	static const char *const levels[] = { "ok", "note", "warning", "problem" };
	struct doctor *doc = &host->doc;
	char got[4096] = "";
	size_t len = 0;

	check(doc);
	assert_false(doc->is_out_of_memory || doc->is_untestable);
	for (size_t i = 0; i < doc->n_findings; i++) {
		const struct doctor_finding *at = &doc->findings[i];

		len += (size_t)snprintf(got + len, sizeof(got) - len, "%s %s %s|%s|%s\n",
					levels[at->level], at->check, at->object, at->text,
					at->remedy);
	}
	assert_string_equal(got, want);
	free(doc->findings);
	doc->findings = NULL;
	doc->n_findings = doc->size = 0;
}

static void test_knobs(void **state)
{
	struct host host;

	(void)state;
	start(&host);
	check_says(&host, doctor_sysctl,
		   "note sysctl net.smc|does not exist: the first of these sysctls came with kernel 5.18|\n");
	set_knob(&host, "net.smc.smcr_testlink_time", "30");
	check_says(&host, doctor_sysctl, "ok sysctl net.smc|all values are the defaults|\n");
	set_knob(&host, "net.smc.smcr_testlink_time", "0");
	set_knob(&host, "net.smc.smcr_max_send_wr", "32");
	check_says(&host, doctor_sysctl,
		   "warning sysctl net.smc.smcr_testlink_time|"
		   "is 0, off: a dead peer of an idle link is not noticed|"
		   "sysctl -w net.smc.smcr_testlink_time=30\n"
		   "note sysctl net.smc.smcr_max_send_wr|is 32, the default is 16|\n");
}

static void test_limitation(void **state)
{
	struct host host;

	(void)state;
	start(&host);
	host.facts.has_smc = false;
	check_says(&host, doctor_sysctl, "");
	host.facts.is_limited = true;
	set_knob(&host, "net.smc.hs_ctrl", "mine");
	check_says(&host, doctor_sysctl,
		   "warning hs-limit |handshake limitation is on: under load connections fall back "
		   "to TCP|smcr hs disable\n"
		   "note sysctl net.smc.hs_ctrl|the BPF program mine decides which connections try "
		   "SMC|\n");
}

/* Buffers are powers of two, and on this kernel as large as a block of memory at most. */
static void test_sizes(void **state)
{
	struct host host;

	(void)state;
	start(&host);
	strcpy(host.facts.memory.buddies, "Node 0, zone   Normal  1 1 1 1 1 1 1 1 1 1 1");
	set_knob(&host, "net.smc.rmem", "65537");
	set_knob(&host, "net.smc.wmem", "8388608");
	set_knob(&host, "net.core.rmem_max", "65536");
	set_knob(&host, "net.core.wmem_max", "8388608");
	check_says(&host, doctor_sysctl,
		   "note sysctl net.smc.wmem|is 8388608, the default is 65536|\n"
		   "note sysctl net.smc.rmem|is 65537, the default is 65536|\n"
		   "ok buffers net.smc.rmem|each connection gets 128 KiB to receive|\n"
		   "warning buffers net.smc.wmem|a connection should get 8 MiB to send, but over "
		   "SMC-R it gets 4 MiB at most|sysctl -w net.smc.wmem=4194304\n"
		   "note buffers net.core.rmem_max|programs that set SO_RCVBUF get 64 KiB at most, "
		   "others 128 KiB|\n"
		   "ok buffers net.core.wmem_max|programs that set SO_SNDBUF get up to 8 MiB|\n");
	set_knob(&host, "net.smc.rmem", "65536");
	set_knob(&host, "net.smc.wmem", "2097152");
	set_knob(&host, "net.core.rmem_max", "");
	set_knob(&host, "net.core.wmem_max", "");
	host.facts.version[1] = 10;
	check_says(&host, doctor_sysctl,
		   "note sysctl net.smc.wmem|is 2097152, the default is 65536|\n"
		   "ok buffers net.smc.rmem|each connection gets 64 KiB to receive|\n"
		   "warning buffers net.smc.wmem|a connection should get 2 MiB to send, but over "
		   "SMC-R it gets 512 KiB at most|sysctl -w net.smc.wmem=524288\n");
}

static void test_tcp(void **state)
{
	struct host host;

	(void)state;
	start(&host);
	host.facts.has_smc = false;
	set_knob(&host, "net.ipv4.tcp_rmem", "4096\t131072\t6291456");
	set_knob(&host, "net.ipv4.tcp_wmem", "4096\t16384\t65535");
	set_knob(&host, "net.ipv4.tcp_syncookies", "1");
	set_knob(&host, "net.ipv4.tcp_fastopen", "1");
	check_says(&host, doctor_sysctl,
		   "ok buffers net.ipv4.tcp_rmem|connections that fall back to TCP get up to "
		   "6 MiB|\n"
		   "warning buffers net.ipv4.tcp_wmem|connections that fall back to TCP get "
		   "65535 bytes at most|sysctl -w net.ipv4.tcp_wmem='4096 16384 4194304'\n");
	set_knob(&host, "net.ipv4.tcp_rmem", "4096");
	set_knob(&host, "net.ipv4.tcp_wmem", "");
	set_knob(&host, "net.ipv4.tcp_syncookies", "2");
	set_knob(&host, "net.ipv4.tcp_fastopen", "3");
	check_says(&host, doctor_sysctl,
		   "warning sysctl net.ipv4.tcp_syncookies|is 2: no server here gets SMC, because "
		   "SYN cookies drop the client's offer|sysctl -w net.ipv4.tcp_syncookies=1\n"
		   "note sysctl net.ipv4.tcp_fastopen|is 3: servers that use TCP Fast Open stay on "
		   "TCP|\n");
}

static void test_memory(void **state)
{
	struct host host;

	(void)state;
	start(&host);
	strcpy(host.facts.memory.memlock, "64 KiB");
	/* 64 KiB are of order 4: 15 such blocks, with what larger ones split into. */
	strcpy(host.facts.memory.buddies, "Node 0, zone   Normal  9 9 9 9 13 1 0 0 0 0 0");
	check_says(&host, doctor_memory,
		   "warning memory /proc/buddyinfo|is fragmented: 15 free blocks of 64 KiB, so "
		   "SMC-R gets smaller buffers|sysctl -w net.smc.smcr_buf_type=2\n"
		   "ok memory RLIMIT_MEMLOCK|64 KiB: no limit for SMC, only for programs that use "
		   "RDMA themselves|\n");
	strcpy(host.facts.memory.buddies, "Node 0, zone   Normal  9 9 9 9 14 1 0 0 0 0 0");
	*host.facts.memory.memlock = '\0';
	check_says(&host, doctor_memory,
		   "ok memory /proc/buddyinfo|16 free blocks of 64 KiB for buffers of SMC-R|\n");
	set_knob(&host, "net.smc.smcr_buf_type", "2");
	check_says(&host, doctor_memory,
		   "ok memory net.smc.smcr_buf_type|SMC-R needs no contiguous memory|\n");
	host.facts.rdma.count = 0;
	check_says(&host, doctor_memory, "");
}

static void test_eid(void **state)
{
	struct host host;
	struct choice_facts *facts = &host.facts.choices.facts;

	(void)state;
	start(&host);
	check_says(&host, doctor_eid,
		   "note eid |no user EID: peers beyond this subnet or machine need one|"
		   "smcd ueid add NAME, the same name on all systems\n");
	host.choices[0].smcr = UNUSABLE_NO_EID;
	check_says(&host, doctor_eid,
		   "problem eid |no user EID: soft-RoCE, loopback and devices that have only "
		   "version 2 are not used|smcd ueid add NAME, the same name on all systems\n");
	host.req.iface = "eth1"; /* that is not the one which waits */
	check_says(&host, doctor_eid,
		   "note eid |no user EID: peers beyond this subnet or machine need one|"
		   "smcd ueid add NAME, the same name on all systems\n");
	facts->seid = (struct smc_seid){ true, true, "SEID" };
	check_says(&host, doctor_eid, "ok eid |system EID SEID|\n");
	facts->seid.is_enabled = false;
	strcpy(facts->ueids[0], "ONE");
	strcpy(facts->ueids[1], "T\033O");
	facts->n_ueids = 2;
	check_says(&host, doctor_eid,
		   "note eid |system EID SEID is disabled|smcd seid enable\n"
		   "ok eid |user EIDs ONE, T\\x1bO|\n");
	facts->is_eid_known = false;
	check_says(&host, doctor_eid, "");
}

static void test_ism(void **state)
{
	struct host host;

	(void)state;
	start(&host);
	check_says(&host, doctor_ism,
		   "note ism |no ISM device (IBM Z has them) and no loopback, so no SMC-D|\n");
	host.facts.choices.facts.has_loopback = true;
	add_ism(&host, "lo", SMC_ABI_CHID_LOOPBACK, "");
	check_says(&host, doctor_ism,
		   "ok ism loopback|SMC-D between sockets of this host, if there is an EID|\n");
	host.facts.choices.facts.has_loopback = false;
	check_says(&host, doctor_ism,
		   "note ism |no ISM device (IBM Z has them) and no loopback, so no SMC-D|\n");
	add_ism(&host, "ism0", 0x7c0, "");
	check_says(&host, doctor_ism,
		   "warning ism ism0|ISM device without PNET ID: SMC-Dv1 cannot use it|"
		   "set a PNET ID in the IOCDS, or smc_pnet -a PNETID -D DEVICE\n");
	host.facts.info.is_ism_v2 = true;
	check_says(&host, doctor_ism, "ok ism ism0|ISM device without PNET ID: SMC-Dv2 only|\n");
	host.rows[2].pnetid = "NET";
	check_says(&host, doctor_ism,
		   "ok ism ism0|ISM device, PNET ID NET, SMC-Dv1 and SMC-Dv2|\n");
	host.choices[0].smcr = UNUSABLE_NO_DEVICE; /* and so nothing works */
	host.ism_facts[1].has_driver = false;
	check_says(&host, doctor_ism,
		   "problem ism ism0|ISM device without a driver|modprobe ism\n");
	host.req.iface = "eth0"; /* which has another PNET ID */
	check_says(&host, doctor_ism, "");
}

static void test_slots(void **state)
{
	struct host host;
	char name[] = "000000a0", *names[] = { name };

	(void)state;
	start(&host);
	add_ism(&host, "lo", SMC_ABI_CHID_LOOPBACK, "");
	host.facts.choices.facts.has_loopback = true;
	host.facts.slots = (struct host_names){ .names = names, .count = 1 };
	check_says(&host, doctor_ism,
		   "ok ism loopback|SMC-D between sockets of this host, if there is an EID|\n"
		   "note ism 000000a0|PCI function without power: an ISM or RoCE device may be "
		   "behind it|smc_rnics -e 000000a0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_knobs),  cmocka_unit_test(test_limitation),
		cmocka_unit_test(test_sizes),  cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_memory), cmocka_unit_test(test_eid),
		cmocka_unit_test(test_ism),    cmocka_unit_test(test_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
