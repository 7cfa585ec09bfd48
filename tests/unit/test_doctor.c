// SPDX-License-Identifier: MIT
/* smc_chk/doctor: findings for constructed facts, without a host. */
#include "shell.h"

#include "smc_chk/doctor/findings.h"

/* A kernel 6.12 with SMC; eth0 is on a port of mlx5_0; tests add the rest. */
static struct host {
	struct netdev nets[1];
	struct rdma_dev devs[1];
	struct ism_dev isms[2];
	struct ism_facts ism_facts[2];
	struct pnet_row rows[3];
	struct choice choices[1];
	struct doctor_facts facts;
	struct chk_request req;
	struct doctor doc;
} host;

FIXTURE(start)
{
	struct doctor_facts *facts = &host.facts;

	memset(&host, 0, sizeof(host));
	host.nets[0] = (struct netdev){ .name = "eth0", .base = "eth0" };
	strcpy(host.devs[0].name, "mlx5_0");
	host.rows[0] = (struct pnet_row){ PNET_NET, .name = "eth0", .pnetid = "" };
	host.rows[0].net = host.nets;
	host.choices[0] = (struct choice){ .net = host.rows, .smcd = UNUSABLE_NO_DEVICE };
	facts->version[0] = 6;
	facts->version[1] = 12;
	facts->has_smc = true;
	facts->netdevs = (struct netdev_table){ host.nets, 1 };
	facts->rdma = (struct rdma_table){ host.devs, 1, host.isms, 0 };
	facts->isms = host.ism_facts;
	facts->choices.nets = &facts->netdevs;
	facts->choices.rows = (struct pnet_rows){ host.rows, 1 };
	facts->choices.is_eid_known = true;
	facts->choices.all = host.choices;
	facts->choices.count = 1;
	facts->page_size = 4096;
	host.doc = (struct doctor){ .req = &host.req, .facts = facts };
	return 0;
}

/* An ISM device, with its row. */
static void add_ism(const char *name, int32_t chid, const char *pnetid)
{
	struct ism_dev *ism = &host.isms[host.facts.rdma.n_isms++];
	struct pnet_row *row = &host.rows[host.facts.choices.rows.count++];

	ism->chid = chid;
	strcpy(ism->name, name);
	*row = (struct pnet_row){ PNET_ISM, .name = ism->name, .pnetid = pnetid, .ism = ism };
	host.ism_facts[ism - host.isms].has_driver = true;
}

/* Set the content of a sysctl file. */
static void set_knob(const char *name, const char *text)
{
	for (size_t i = 0; i < FACTS_KNOBS; i++) {
		char old[FACTS_KNOB_SIZE];

		strcpy(old, host.facts.knobs[i]);
		strcpy(host.facts.knobs[i], "?");
		if (knob_text(&host.facts, name) == host.facts.knobs[i]) {
			strcpy(host.facts.knobs[i], text);
			return;
		}
		strcpy(host.facts.knobs[i], old);
	}
	fail_msg("no check reads %s", name);
}

/* A check reports exactly these lines, "level check object|text|remedy", by assert_like(). */
static void check_says(void (*check)(struct doctor *doc), const char *want)
{
	static const char *const levels[] = { "ok", "note", "warning", "problem" };
	struct doctor *doc = &host.doc;
	char got[4096] = "";
	size_t len = 0;

	check(doc);
	assert_false(doc->is_untestable);
	for (size_t i = 0; i < doc->n_findings; i++) {
		const struct doctor_finding *at = &doc->findings[i];

		len += (size_t)snprintf(got + len, sizeof(got) - len, "%s %s %s|%s|%s\n",
					levels[at->level], at->check, at->object, at->text,
					at->remedy);
	}
	assert_like(got, want);
	free(doc->findings);
	doc->findings = NULL;
	doc->n_findings = 0;
}

TEST(test_knobs)
{
	check_says(doctor_sysctl, "note sysctl net.smc|*kernel 5.18|\n");
	set_knob("net.smc.smcr_testlink_time", "30");
	check_says(doctor_sysctl, "ok sysctl net.smc|* defaults|\n");
	set_knob("net.smc.smcr_testlink_time", "0");
	set_knob("net.smc.smcr_max_send_wr", "32");
	check_says(doctor_sysctl,
		   "warning sysctl net.smc.smcr_testlink_time|is 0, off*|"
		   "sysctl -w net.smc.smcr_testlink_time=30\n"
		   "note sysctl net.smc.smcr_max_send_wr|is 32, the default is 16|\n");
}

static bool says_ulp(const char *ulps)
{
	struct doctor *doc = &host.doc;
	bool found = false;

	set_knob("net.ipv4.tcp_available_ulp", ulps);
	doctor_kernel(doc);
	for (size_t i = 0; i < doc->n_findings; i++)
		found |= !strcmp(doc->findings[i].check, "tcp_ulp");
	free(doc->findings);
	doc->findings = NULL;
	doc->n_findings = 0;
	return found;
}

TEST(test_ulp)
{
	assert_true(says_ulp("mptcp smc"));
	assert_true(says_ulp("espintcp smc tls"));
	assert_false(says_ulp("espintcp mptcp tls"));
	assert_false(says_ulp("smcx"));
}

TEST(test_limitation)
{
	host.facts.has_smc = false;
	check_says(doctor_sysctl, "");
	host.facts.is_limited = true;
	set_knob("net.smc.hs_ctrl", "mine");
	check_says(doctor_sysctl, "warning hs-limit |* is on*|smcr hs disable\n"
				  "note sysctl net.smc.hs_ctrl|* BPF program mine *|\n");
}

/* Buffers are powers of two, on this kernel at most as large as a block of memory. */
TEST(test_sizes)
{
	strcpy(host.facts.buddies, "Node 0, zone   Normal  1 1 1 1 1 1 1 1 1 1 1");
	set_knob("net.smc.rmem", "65537");
	set_knob("net.smc.wmem", "8388608");
	set_knob("net.core.rmem_max", "65536");
	set_knob("net.core.wmem_max", "8388608");
	check_says(doctor_sysctl,
		   "note sysctl net.smc.wmem|is 8388608, the default is 65536|\n"
		   "note sysctl net.smc.rmem|is 65537, the default is 65536|\n"
		   "ok buffers net.smc.rmem|* 128 KiB to receive|\n"
		   "warning buffers net.smc.wmem|* 8 MiB to send, * SMC-R * 4 MiB *|"
		   "sysctl -w net.smc.wmem=4194304\n"
		   "note buffers net.core.rmem_max|* SO_RCVBUF get 64 KiB *, others 128 KiB|\n"
		   "ok buffers net.core.wmem_max|* SO_SNDBUF get up to 8 MiB|\n");
	set_knob("net.smc.rmem", "65536");
	set_knob("net.smc.wmem", "2097152");
	set_knob("net.core.rmem_max", "");
	set_knob("net.core.wmem_max", "");
	host.facts.version[1] = 10;
	check_says(doctor_sysctl,
		   "note sysctl net.smc.wmem|is 2097152, the default is 65536|\n"
		   "note buffers net.smc.rmem|* 64 KiB to receive, *; smc_run sets 512 KiB *. 1000 "
		   "connections * 500 MiB instead of 62 MiB|"
		   "sysctl -w net.smc.rmem=524288 | tee /etc/sysctl.d/90-smc-rmem.conf\n"
		   "warning buffers net.smc.wmem|* 2 MiB to send, * SMC-R * 512 KiB *|"
		   "sysctl -w net.smc.wmem=524288\n");
	set_knob("net.smc.rmem", "");
	set_knob("net.smc.wmem", "65536");
	check_says(doctor_sysctl,
		   "ok sysctl net.smc|* defaults|\n"
		   "note buffers net.smc.wmem|* 64 KiB to send, *. 1000 connections * 500 MiB "
		   "instead of 62 MiB, *loopback|"
		   "sysctl -w net.smc.wmem=524288 | tee /etc/sysctl.d/90-smc-wmem.conf\n");
}

/* An IPv6 socket for both families, if there is one, limits SMC-Rv2 before 6.13. */
TEST(test_bindv6only)
{
	host.facts.choices.rows.count = 0;
	host.facts.netdevs.count = 0;
	set_knob("net.ipv6.bindv6only", "0");
	check_says(doctor_net, "");
	host.facts.serves_both = true;
	check_says(doctor_net, "note bindv6only |is 0: * IPv4 clients, but without SMC-Rv2 *|\n");
	host.facts.version[1] = 13;
	check_says(doctor_net, "");
	host.facts.version[1] = 12;
	set_knob("net.ipv6.bindv6only", "1");
	check_says(doctor_net, "ok bindv6only |*|\n");
}

TEST(test_tcp)
{
	host.facts.has_smc = false;
	set_knob("net.ipv4.tcp_syncookies", "1");
	set_knob("net.ipv4.tcp_fastopen", "1");
	check_says(doctor_sysctl, "");
	set_knob("net.ipv4.tcp_syncookies", "2");
	set_knob("net.ipv4.tcp_fastopen", "3");
	check_says(doctor_sysctl, "warning sysctl net.ipv4.tcp_syncookies|is 2: no server *|"
				  "sysctl -w net.ipv4.tcp_syncookies=1\n"
				  "note sysctl net.ipv4.tcp_fastopen|is 3: servers *|\n");
}

static void set_stats(int tech, uint64_t sends, uint64_t full, uint64_t small)
{
	uint64_t *v = host.facts.stats.tech[tech].value;

	host.facts.has_stats = true;
	v[SMC_STAT_TX_CNT] = sends;
	v[SMC_STAT_TX_EVENT + SMC_EVENT_FULL] = full;
	v[SMC_STAT_TX_EVENT + SMC_EVENT_SMALL_PEER] = small;
}

#define COMPARE "|* PEER --tcp-too\n"

/* Both sides of each threshold, and of the minimum counts. */
TEST(test_traffic)
{
	struct smc_side_stats *side;
	uint64_t *v;

	check_says(doctor_traffic, "");
	set_stats(SMC_TECH_D, 999, 999, 999);
	check_says(doctor_traffic, "");
	set_stats(SMC_TECH_D, 1000, 99, 99);
	check_says(doctor_traffic, "ok traffic SMC-D|few of 1000 sends *|\n");
	set_stats(SMC_TECH_D, 1000, 100, 0);
	check_says(doctor_traffic,
		   "warning traffic SMC-D|a full buffer: here in 10 % of 1000 sends, * peer in 0 % "
		   "(threshold: 10 %): *" COMPARE);
	set_stats(SMC_TECH_D, 1000, 0, 250);
	check_says(doctor_traffic,
		   "warning traffic SMC-D|a buffer smaller *: here in 0 % of 1000 sends, * peer in "
		   "25 % (threshold: 10 %): *" COMPARE);
	start(NULL);
	set_stats(SMC_TECH_R, 0, 0, 0);
	v = host.facts.stats.tech[SMC_TECH_R].value;
	v[SMC_STAT_TX_EVENT + SMC_EVENT_ALLOC] = 200;
	v[SMC_STAT_RX_EVENT + SMC_EVENT_ALLOC] = 200;
	v[SMC_STAT_RX_EVENT + SMC_EVENT_DOWNGRADE] = 3;
	check_says(doctor_traffic, "");
	v[SMC_STAT_RX_EVENT + SMC_EVENT_DOWNGRADE] = 4;
	check_says(doctor_traffic,
		   "warning traffic SMC-R|1 % of 400 new buffers * (threshold: 1 %): *|"
		   "sysctl -w net.smc.smcr_buf_type=2\n");
	start(NULL);
	set_stats(SMC_TECH_D, 0, 0, 0);
	side = host.facts.stats.side;
	host.facts.stats.tech[SMC_TECH_D].value[SMC_STAT_CLNT_V2] = 91;
	side[SMC_SIDE_SERVER].fallbacks = 8;
	check_says(doctor_traffic, "");
	side[SMC_SIDE_CLIENT].fallbacks = 1;
	check_says(doctor_traffic, "ok traffic fallbacks|9.0 % of 100 *|\n");
	side[SMC_SIDE_CLIENT].fallbacks = 3;
	check_says(doctor_traffic,
		   "warning traffic fallbacks|11 % of 102 * (threshold: 10 %)|smcr -d stats\n");
	side[SMC_SIDE_CLIENT].n_reasons = 1;
	side[SMC_SIDE_CLIENT].reasons[0] = (struct smc_reason_count){ 0x03030000, 1 };
	side[SMC_SIDE_SERVER].n_reasons = 1;
	side[SMC_SIDE_SERVER].reasons[0] = (struct smc_reason_count){ 0x03010000, 8 };
	check_says(doctor_traffic,
		   "warning traffic fallbacks|11 % of 102 * (threshold: 10 %), * by PEERNOSMC, *|"
		   "smc_chk explain 0x03010000\n");
}

TEST(test_eid)
{
	struct choices *facts = &host.facts.choices;

	check_says(doctor_eid, "note eid |no user EID: peers *|smcd ueid add NAME, *\n");
	host.choices[0].smcr = UNUSABLE_NO_EID;
	check_says(doctor_eid, "problem eid |no user EID: *version 2 *|smcd ueid add NAME, *\n");
	host.req.iface = "eth1"; /* not the one that waits */
	check_says(doctor_eid, "note eid |no user EID: peers *|smcd ueid add NAME, *\n");
	facts->seid = (struct smc_seid){ true, true, "SEID" };
	check_says(doctor_eid, "ok eid |system EID SEID|\n");
	facts->seid.is_enabled = false;
	strcpy(facts->ueids[0], "ONE");
	strcpy(facts->ueids[1], "T\033O");
	facts->n_ueids = 2;
	check_says(doctor_eid, "note eid |system EID SEID is disabled|smcd seid enable\n"
			       "ok eid |user EIDs ONE, T\\x1bO|\n");
	facts->is_eid_known = false;
	check_says(doctor_eid, "");
}

static void on(const char *os_release, const char *release)
{
	host.facts.kernel.distribution = distribution_find(os_release, "x86_64", release);
}

TEST(test_no_device)
{
	host.facts.choices.count = host.facts.choices.rows.count = 0;
	host.facts.netdevs.count = host.facts.rdma.count = 0;
	check_says(doctor_net, "problem device |SMC has neither *|install an RDMA *\n");
	on("ID=debian\nVERSION_ID=13\n", "6.12.107+deb13-amd64");
	check_says(doctor_net, "problem device |SMC has neither *|apt install ./smc-loopback*\n");
	host.req.iface = "eth1"; /* others need a card */
	check_says(doctor_net, "problem device eth1|SMC has neither *|install an RDMA *\n");
}

TEST(test_ism)
{
	check_says(doctor_ism, "note ism |no ISM device * no loopback*|\n");
	on("NAME=Debian\nVERSION_ID='13'\nID=debian", "6.12.107+deb13-amd64");
	check_says(doctor_ism,
		   "note ism |no ISM device *|apt install ./smc-loopback-dkms_*.deb *\n");
	on("ID=debian\nVERSION_ID=\"12\"\n", "6.1.0-50-amd64");
	check_says(doctor_ism, "note ism |no ISM device *|\n");
	on("ID=debian\nVERSION_ID=13\n", "6.18.5+deb13-amd64"); /* CONFIG_DIBS_LO */
	check_says(doctor_ism, "note ism |no ISM device *|\n");
	on("VERSION_ID=13\nXID=debian\n", "6.12.107+deb13-amd64");
	assert_null(host.facts.kernel.distribution);
	host.facts.choices.has_loopback = true;
	add_ism("lo", SMC_ABI_CHID_LOOPBACK, "");
	check_says(doctor_ism, "ok ism loopback|SMC-D *, if there is an EID|\n");
	host.facts.choices.has_loopback = false;
	check_says(doctor_ism, "note ism |no ISM device * no loopback*|\n");
	add_ism("ism0", 0x7c0, "");
	check_says(doctor_ism, "warning ism ism0|* without PNET ID: SMC-Dv1 cannot *|"
			       "*, or smc_pnet -a PNETID -D DEVICE\n");
	host.facts.info.is_ism_v2 = true;
	check_says(doctor_ism, "ok ism ism0|* without PNET ID: SMC-Dv2 only|\n");
	host.rows[2].pnetid = "NET";
	check_says(doctor_ism, "ok ism ism0|*, PNET ID NET, SMC-Dv1 * SMC-Dv2|\n");
	host.choices[0].smcr = UNUSABLE_NO_DEVICE; /* so nothing works */
	host.ism_facts[1].has_driver = false;
	check_says(doctor_ism, "problem ism ism0|* driver|modprobe ism\n");
	host.req.iface = "eth0"; /* has another PNET ID */
	check_says(doctor_ism, "");
}

TEST(test_slots)
{
	char name[] = "000000a0", *names[] = { name };

	add_ism("lo", SMC_ABI_CHID_LOOPBACK, "");
	host.facts.choices.has_loopback = true;
	host.facts.slots = (struct host_names){ .names = names, .count = 1 };
	check_says(doctor_ism, "ok ism loopback|SMC-D *, if there is an EID|\n"
			       "note ism 000000a0|* without power: *|smc_rnics -e 000000a0\n");
}

/* ---- remedies with a hostile name ---- */

/* Devices of the host, in addition to struct host: everything nameable has this name. */
static struct {
	struct netdev_facts nets[1];
	int n_ports[1];
	uint16_t vlans[1];
	struct smc_pnet entries[2];
	char slot[NETDEV_NAME_SIZE], *slots[1], path[HOST_PROBE_SIZE];
} named;

static void name_all(const char *name)
{
	struct rdma_port *port = &host.devs[0].ports[0];

	memset(&named, 0, sizeof(named));
	start(NULL);
	strcpy(host.nets[0].name, name);
	strcpy(host.nets[0].base, name);
	strcpy(host.devs[0].name, name);
	strcpy(port->netdev, name);
	strcpy(port->link_layer, "Ethernet");
	strcpy(port->state, "ACTIVE");
	port->number = 1;
	host.devs[0].n_ports = named.n_ports[0] = 1;
	host.rows[0].name = host.nets[0].name;
	host.rows[1] = (struct pnet_row){ PNET_IB, .name = host.devs[0].name, .port = 1 };
	host.rows[1].pnetid = "";
	host.rows[1].ib = host.devs;
	host.rows[1].ib_port = port;
	host.facts.choices.rows.count = 2;
	host.facts.choices.vlans = named.vlans;
	host.facts.nets = named.nets;
	host.facts.n_ports = named.n_ports;
	host.facts.has_pnet = host.facts.has_genl = host.facts.has_diag = true;
	host.facts.kernel.ipproto_error = -ENODATA;
	host.facts.shim.own.ret = -ENODATA;
}

static void small_mtu(void)
{
	host.nets[0].mtu = 400;
}

static void no_pause(void)
{
	strcpy(host.nets[0].bus, "pci");
	strcpy(named.nets[0].pause.netdev, host.nets[0].name);
	host.facts.has_pauses = true;
}

static void no_ipv6(void)
{
	host.facts.choices.addrs.is_known = true;
	named.nets[0].disable_ipv6 = 1;
}

static void no_link_local(void)
{
	host.facts.choices.addrs.is_known = true;
	named.nets[0].addr_gen_mode = 1;
}

static void is_off(void)
{
	host.req.iface = host.nets[0].name;
	named.nets[0].is_off = true;
}

static void port_is_down(void)
{
	strcpy(host.devs[0].ports[0].state, "DOWN");
	named.nets[0].is_off = true;
}

static void nothing_more(void)
{
}

static void slot_is_off(void)
{
	strcpy(named.slot, host.nets[0].name);
	named.slots[0] = named.slot;
	host.facts.slots = (struct host_names){ .names = named.slots, .count = 1 };
}

static void soft_roce(void)
{
	strcpy(host.devs[0].driver, "rxe");
	host.facts.choices.is_rxe_broken = true;
}

static void blacklisted(void)
{
	struct module_facts *module = &host.facts.kernel.smc;

	*module = (struct module_facts){ "smc", "net-pf-43", .is_blocked = true };
	module->rule = MODPROBE_BLACKLIST;
	snprintf(module->file, sizeof(module->file), "/etc/modprobe.d/%s", host.nets[0].name);
}

static void preloaded(void)
{
	struct shim_facts *shim = &host.facts.shim;

	snprintf(shim->preloads[0].path, sizeof(shim->preloads[0].path), "/lib/%s",
		 host.nets[0].name);
	shim->preloads[0].is_absent = true;
	shim->n_preloads = 1;
}

static void foreign_library(void)
{
	struct shim_facts *shim = &host.facts.shim;

	snprintf(shim->foreign[0], sizeof(shim->foreign[0]), "/lib/%s", host.nets[0].name);
	shim->n_foreign = 1;
}

/* Two entries with its name as the PNET ID, one for a missing net device. */
static void absent(void)
{
	const char *name = host.nets[0].name;

	named.entries[0] = (struct smc_pnet){ .has = SMC_PNET_HAS_NET };
	named.entries[1] = (struct smc_pnet){ .has = SMC_PNET_HAS_IB, .port = 1 };
	strcpy(named.entries[0].name, name);
	strcpy(named.entries[0].eth, name);
	strcpy(named.entries[1].name, name);
	strcpy(named.entries[1].ib, name);
	host.rows[0].net = NULL;
	host.rows[0].entry = named.entries;
	host.facts.pnet = (struct smc_pnet_table){ named.entries, 2 };
	host.facts.choices.count = 0;
}

static void other_pnetid(void)
{
	absent();
	host.facts.pnet.count = 1;
	host.facts.choices.count = 1;
	host.rows[0].net = host.nets;
	host.rows[0].pnetid = named.entries[0].name;
	host.rows[1].pnetid = host.devs[0].name;
	strcpy(host.devs[0].name, "B");
}

static void on_upper(void)
{
	other_pnetid();
	strcpy(host.devs[0].ports[0].netdev, "");
	strcpy(host.nets[0].base, "eth0");
	host.rows[0].source = PNET_FROM_TABLE;
}

/* A ';' in the expected remedy separates two commands. */
static const struct {
	void (*prepare)(void);
	void (*check)(struct doctor *doc);
	const char *want;
} remedies[] = {
	{ small_mtu, doctor_net, "ip link set dev @ mtu 1500" },
	{ no_pause, doctor_net, "ethtool -A @ rx on tx on" },
	{ no_ipv6, doctor_net, "echo 0 /proc/sys/net/ipv6/conf/@/disable_ipv6" },
	{ no_link_local, doctor_net, "ip link set dev @ addrgenmode eui64" },
	{ is_off, doctor_net, "ip link set dev @ up" },
	{ port_is_down, doctor_rdma, "ip link set dev @ up" },
	{ nothing_more, doctor_rdma, "ip address add ADDRESS/PREFIX dev @" },
	{ slot_is_off, doctor_ism, "smc_rnics -e @" },
	{ soft_roce, doctor_kernel, "rdma link delete @" },
	{ blacklisted, doctor_kernel,
	  "remove that line from /etc/modprobe.d/@, then: modprobe smc" },
	{ preloaded, doctor_shim, "remove /lib/@ from /etc/ld.so.preload" },
	{ foreign_library, doctor_shim,
	  "remove the package that it belongs to, by rpm -qf or dpkg -S /lib/@" },
	{ absent, doctor_pnet, "smc_pnet -d @; smc_pnet -a @ -D @ -P 1" },
	{ other_pnetid, doctor_pnet, "smc_pnet -d @; smc_pnet -a B -I @" },
	{ on_upper, doctor_pnet, "smc_pnet -d @" },
};

/* The only remedy of a check on a host whose devices all have this name. */
static const char *remedy_for(size_t at, const char *name)
{
	struct doctor *doc = &host.doc;
	const char *remedy = NULL;

	name_all(name);
	remedies[at].prepare();
	remedies[at].check(doc);
	for (size_t i = 0; i < doc->n_findings; i++) {
		if (!doc->findings[i].remedy[0])
			continue;
		if (remedy)
			fail_msg("%s, and %s", remedy, doc->findings[i].remedy);
		remedy = doc->findings[i].remedy;
	}
	if (!remedy)
		fail_msg("no remedy such as: %s", remedies[at].want);
	return remedy;
}

/* Names of devices are untrusted, and users paste remedies into a shell. */
TEST(test_typed)
{
	for (size_t i = 0; i < ARRAY_SIZE(remedies) * ARRAY_SIZE(hostile_names); i++) {
		const char *name = hostile_names[i / ARRAY_SIZE(remedies)];
		size_t at = i % ARRAY_SIZE(remedies);
		const char *remedy = remedy_for(at, name), *want = remedies[at].want;
		char line[DOCTOR_REMEDY_SIZE];

		if (remedies[at].prepare == soft_roce && *name == '-')
			want = "rdma -- link delete @";
		strcpy(line, remedy);
		if (!strncmp(line, "echo 0 >", 8)) /* shell.h only gets words */
			line[7] = ' ';
		check_typed(line, want, name);
		free(host.doc.findings);
	}
}

TEST(test_untypable)
{
	for (size_t at = 0; at < ARRAY_SIZE(remedies); at++) {
		assert_like(remedy_for(at, "a\n"), "no command *");
		free(host.doc.findings);
	}
}

static struct fixture fixture = { .setup = start };
