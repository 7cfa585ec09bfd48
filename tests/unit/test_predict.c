// SPDX-License-Identifier: MIT
/* smc_chk/matrix/predict: the connection between two hosts, and its gaps. */
#include "test.h"

#include "smc_chk/matrix/predict.h"

#include <sys/mman.h>

/* Two hosts with one interface each, with RoCE v2 and a common EID. */
static struct {
	struct predict_net nets[2][2];
	struct predict_host hosts[2];
} pair;

static void set_addr(struct predict_net *net, size_t i, const char *text)
{
	assert_true(netaddr_parse(&net->addrs[i], text));
	net->n_addrs = (uint32_t)i + 1;
}

FIXTURE(start)
{
	static const char *const names[] = { "a", "b" }, *const addrs[] = { "10.0.0.1/24",
									    "10.0.0.2/24" };

	memset(&pair, 0, sizeof(pair));
	for (int i = 0; i < 2; i++) {
		struct predict_host *host = &pair.hosts[i];

		host->nets = pair.nets[i];
		host->n_nets = 1;
		strcpy(host->name, names[i]);
		host->traits = PREDICT_SMC | PREDICT_EIDS;
		host->n_ueids = 1;
		host->release = 1;
		host->max_links = 2;
		strcpy(host->ueids[0], "FLEET");
		strcpy(host->nets[0].name, "eth0");
		host->nets[0].flags = PREDICT_GID_V2;
		host->nets[0].ism_v1 = -1;
		set_addr(&host->nets[0], 0, addrs[i]);
	}
	return 0;
}

static struct prediction of(void)
{
	struct prediction result;

	memset(&result, 0xff, sizeof(result));
	predict(&result, &pair.hosts[0], &pair.hosts[1]);
	return result;
}

#define EXPECT(expected) assert_int_equal(of().mode, expected)

static void expect_gap(enum predict_mode mode, enum predict_side side, const char *text,
		       const char *command)
{
	const struct prediction result = of();
	bool is_there = false;

	for (size_t i = 0; i < result.n_gaps && !is_there; i++) {
		const struct predict_gap *gap = &result.gaps[i];
		struct out_text said = { 0 };

		predict_gap_text(&said, gap, gap->side == PREDICT_CLIENT ? "a" : "b");
		out_mem(&said, "", 1);
		is_there = gap->mode == mode && gap->side == side && strstr(said.data, text) &&
			   !strcmp(gap->command, command);
		out_free(&said);
	}
	if (is_there)
		return;
	fail_msg("no gap '%s'; first of %zu: %s (%s)", text, result.n_gaps, result.gaps[0].text,
		 result.gaps[0].command);
}

TEST(test_smcr_v2)
{
	struct prediction result;

	result = of();
	assert_int_equal(result.mode, PREDICT_SMCR_V2);
	assert_int_equal(result.release, 1);
	assert_int_equal(result.max_links, 2);
	assert_int_equal(result.n_gaps, 0);
	assert_false(result.is_routed);
	assert_string_equal(result.server->name, "eth0");
	pair.hosts[1].release = 0;
	assert_int_equal(of().release, 0);
	assert_int_equal(of().max_links, 0);
}

TEST(test_eids)
{
	strcpy(pair.hosts[1].ueids[0], "OTHER");
	EXPECT(PREDICT_TCP);
	expect_gap(PREDICT_SMCR_V2, PREDICT_SERVER, "no user EID in common", "smcd ueid add FLEET");
	pair.hosts[0].n_ueids = 2;
	strcpy(pair.hosts[0].ueids[1], "OTHER");
	EXPECT(PREDICT_SMCR_V2);
	pair.hosts[0].n_ueids = 0;
	expect_gap(PREDICT_SMCR_V2, PREDICT_CLIENT, "a has no user EID", "smcd ueid add OTHER");
	pair.hosts[1].n_ueids = 0;
	expect_gap(PREDICT_SMCR_V2, PREDICT_BOTH, "neither", "smcd ueid add MYEID");
	/* Chosen by the peer. */
	pair.hosts[1].n_ueids = 1;
	strcpy(pair.hosts[1].ueids[0], "$(x)");
	expect_gap(PREDICT_SMCR_V2, PREDICT_CLIENT, "no user EID", "smcd ueid add '$(x)'");
	pair.hosts[1].traits &= ~(uint32_t)PREDICT_EIDS;
	expect_gap(PREDICT_SMCR_V2, PREDICT_SERVER, "the kernel of b has no EIDs",
		   "install kernel 5.16 or later");
	/* The system EID is for SMC-D only. */
	start(NULL);
	for (int i = 0; i < 2; i++) {
		pair.hosts[i].n_ueids = 0;
		pair.hosts[i].traits |= PREDICT_SEID;
		strcpy(pair.hosts[i].seid, "MACHINE");
	}
	EXPECT(PREDICT_TCP);
}

TEST(test_smcr_v1)
{
	pair.nets[0][0].flags = pair.nets[1][0].flags = PREDICT_GID_V1;
	EXPECT(PREDICT_SMCR_V1);
	/* It is in the subnet, but with another prefix length, which the server compares, too. */
	set_addr(&pair.nets[0][0], 0, "10.0.0.1/16");
	EXPECT(PREDICT_TCP);
	expect_gap(PREDICT_SMCR_V1, PREDICT_BOTH, "one subnet", "ip -br address");
	pair.nets[0][0].flags = pair.nets[1][0].flags = PREDICT_GID_V1 | PREDICT_GID_V2;
	EXPECT(PREDICT_SMCR_V2);
	pair.hosts[0].n_ueids = 0;
	EXPECT(PREDICT_TCP);
	set_addr(&pair.nets[0][0], 0, "10.0.0.1/24");
	EXPECT(PREDICT_SMCR_V1);
	expect_gap(PREDICT_SMCR_V2, PREDICT_CLIENT, "no user EID", "smcd ueid add FLEET");
}

TEST(test_addresses)
{
	set_addr(&pair.nets[1][0], 0, "10.1.0.2/24");
	EXPECT(PREDICT_SMCR_V2);
	assert_true(of().is_routed);
	set_addr(&pair.nets[0][0], 0, "fd00::1/64");
	set_addr(&pair.nets[1][0], 0, "fd00::2/64");
	EXPECT(PREDICT_TCP);
	expect_gap(PREDICT_SMCR_V2, PREDICT_BOTH, "IPv4 only",
		   "give both an address in one IPv4 subnet");
	pair.nets[0][0].flags = pair.nets[1][0].flags = PREDICT_GID_V1;
	EXPECT(PREDICT_SMCR_V1);
	set_addr(&pair.nets[1][0], 0, "10.1.0.2/24");
	EXPECT(PREDICT_TCP);
	assert_null(of().client);
	expect_gap(PREDICT_TCP, PREDICT_BOTH, "neither host", "ip -br address");
	/* A bridge with the same address on every host is no connection. */
	start(NULL);
	for (int i = 0; i < 2; i++) {
		pair.hosts[i].n_nets = 2;
		strcpy(pair.nets[i][1].name, "docker0");
		pair.nets[i][1].flags = PREDICT_GID_V2;
		set_addr(&pair.nets[i][1], 0, "172.17.0.1/16");
		pair.nets[i][0].flags = 0;
	}
	EXPECT(PREDICT_TCP);
	assert_string_equal(of().client->name, "eth0");
}

TEST(test_best_way)
{
	for (int i = 0; i < 2; i++) {
		pair.hosts[i].n_nets = 2;
		pair.nets[i][1] = pair.nets[i][0];
		strcpy(pair.nets[i][1].name, "eth1");
		pair.nets[i][0].flags = 0;
	}
	set_addr(&pair.nets[0][1], 0, "10.9.0.1/24");
	set_addr(&pair.nets[1][1], 0, "10.9.0.2/24");
	EXPECT(PREDICT_SMCR_V2);
	assert_string_equal(of().client->name, "eth1");
	assert_string_equal(of().server->name, "eth1");
}

TEST(test_port)
{
	pair.nets[1][0].flags = 0;
	strcpy(pair.nets[1][0].why, "rxe0: port 1 is down");
	strcpy(pair.nets[1][0].command, "ip link set dev eth0 up");
	EXPECT(PREDICT_TCP);
	expect_gap(PREDICT_SMCR_V2, PREDICT_SERVER, "b: rxe0: port 1 is down",
		   "ip link set dev eth0 up");
	pair.nets[1][0].flags = PREDICT_GID_V1;
	expect_gap(PREDICT_SMCR_V2, PREDICT_SERVER, "no GID of RoCE v2", "smc_rnics -w");
}

TEST(test_smcd)
{
	for (int i = 0; i < 2; i++) {
		pair.hosts[i].traits |= PREDICT_ISM;
		pair.hosts[i].n_chids = 1;
		pair.hosts[i].chids[0] = 7 + i;
	}
	EXPECT(PREDICT_SMCR_V2);
	expect_gap(PREDICT_SMCD_V2, PREDICT_BOTH, "CHID", "smcd device");
	pair.hosts[1].chids[0] = 7;
	EXPECT(PREDICT_SMCD_V2);
	assert_int_equal(of().n_gaps, 0);
	strcpy(pair.hosts[0].seid, "ONE");
	strcpy(pair.hosts[1].seid, "TWO");
	EXPECT(PREDICT_SMCR_V2);
	expect_gap(PREDICT_SMCD_V2, PREDICT_BOTH, "different machines", "");
	strcpy(pair.hosts[1].seid, "ONE");
	pair.hosts[1].n_ueids = 0;
	EXPECT(PREDICT_TCP);
	pair.hosts[0].traits |= PREDICT_SEID;
	EXPECT(PREDICT_TCP);
	pair.hosts[1].traits |= PREDICT_SEID;
	EXPECT(PREDICT_SMCD_V2);
	/* Version 1 needs a subnet, and the same channel on both interfaces. */
	pair.hosts[0].n_chids = 0;
	for (int i = 0; i < 2; i++) {
		pair.nets[i][0].flags |= PREDICT_ISM_V1;
		pair.nets[i][0].ism_v1 = 9;
	}
	EXPECT(PREDICT_SMCD_V1);
	pair.nets[0][0].ism_v1 = 8;
	EXPECT(PREDICT_TCP);
	pair.nets[0][0].ism_v1 = 9;
	set_addr(&pair.nets[0][0], 0, "10.3.0.1/24");
	EXPECT(PREDICT_TCP);
}

TEST(test_one_kernel)
{
	pair.hosts[0].traits |= PREDICT_LOOPBACK;
	pair.hosts[1].traits |= PREDICT_LOOPBACK;
	EXPECT(PREDICT_SMCR_V2);
	strcpy(pair.hosts[0].boot, "1");
	strcpy(pair.hosts[1].boot, "2");
	EXPECT(PREDICT_SMCR_V2);
	strcpy(pair.hosts[1].boot, "1");
	EXPECT(PREDICT_SMCD_V2);
	pair.hosts[0].traits |= PREDICT_INNER;
	assert_int_equal(of().n_gaps, 0);
	pair.hosts[1].traits |= PREDICT_INNER;
	EXPECT(PREDICT_SMCD_V2);
	expect_gap(PREDICT_SMCD_V2, PREDICT_BOTH, "TCP if loopback has a PNET ID", "");
	pair.hosts[1].traits &= ~(uint32_t)PREDICT_LOOPBACK;
	EXPECT(PREDICT_SMCR_V2);
	expect_gap(PREDICT_SMCD_V2, PREDICT_BOTH, "no loopback", "");
}

TEST(test_no_smc)
{
	pair.hosts[1].traits |= PREDICT_COOKIES;
	EXPECT(PREDICT_TCP);
	expect_gap(PREDICT_TCP, PREDICT_SERVER, "cookie", "sysctl -w net.ipv4.tcp_syncookies=1");
	pair.hosts[0].traits |= PREDICT_COOKIES;
	pair.hosts[1].traits &= ~(uint32_t)PREDICT_COOKIES;
	EXPECT(PREDICT_SMCR_V2);
	pair.hosts[1].traits |= PREDICT_LIMITED;
	EXPECT(PREDICT_SMCR_V2);
	expect_gap(PREDICT_SMCR_V2, PREDICT_SERVER, "limits", "smcr hs disable");
	pair.hosts[1].traits = 0;
	strcpy(pair.hosts[1].command, "modprobe smc");
	EXPECT(PREDICT_TCP);
	expect_gap(PREDICT_TCP, PREDICT_SERVER, "b: no SMC", "modprobe smc");
	assert_int_equal(of().n_gaps, 1);
}

static void set_policy(const char *lines)
{
	char text[128];

	snprintf(text, sizeof(text), "%s", lines);
	policy_free(&pair.hosts[1].policy);
	policy_lines(&pair.hosts[1].policy, text);
}

TEST(test_policy)
{
	set_policy("deny from 10.0.0.0/24");
	EXPECT(PREDICT_TCP);
	expect_gap(PREDICT_TCP, PREDICT_SERVER, "policy of b", "smc_conf export");
	set_policy("deny to 10.0.0.0/24");
	EXPECT(PREDICT_SMCR_V2);
	set_policy("deny 10.0.0.0/24");
	EXPECT(PREDICT_TCP);
	set_policy("deny 10.0.0.2");
	EXPECT(PREDICT_SMCR_V2);
	set_policy("deny 10.0.0.0/24:80\nallow 10.0.0.2:80");
	EXPECT(PREDICT_SMCR_V2);
	set_policy("allow 10.0.0.2");
	EXPECT(PREDICT_TCP);
	set_policy("allow 10.0.0.2 10.0.0.1");
	EXPECT(PREDICT_SMCR_V2);
	set_policy("allow 10.0.0.2\ndeny 10.0.0.1");
	EXPECT(PREDICT_TCP);
	policy_free(&pair.hosts[1].policy);
}

TEST(test_links)
{
	static const char command[] = "sysctl -w net.smc.smcr_max_links_per_lgr=2";

	pair.hosts[0].max_links = 1;
	assert_int_equal(of().max_links, 1);
	expect_gap(PREDICT_SMCR_V2, PREDICT_CLIENT, "one link", command);
	pair.hosts[1].max_links = 1;
	expect_gap(PREDICT_SMCR_V2, PREDICT_BOTH, "one link", command);
}

TEST(test_same)
{
	struct prediction forth, back;

	pair.nets[0][0].flags = pair.nets[1][0].flags = 0;
	strcpy(pair.hosts[1].ueids[0], "OTHER");
	for (int i = 0; i < 3; i++) {
		predict(&forth, &pair.hosts[0], &pair.hosts[1]);
		predict(&back, &pair.hosts[1], &pair.hosts[0]);
		assert_true(forth.n_gaps);
		assert_int_equal(predict_same(&forth, &back), i < 2);
		pair.nets[0][0].flags = pair.nets[1][0].flags = PREDICT_GID_V2;
		if (i)
			pair.hosts[1].traits |= PREDICT_COOKIES;
	}
}

/* Reads data of an unprivileged process: nothing may exceed the structs. */
TEST(test_read)
{
	struct predict_host host, wrong;
	struct predict_net net;
	struct smc_err err = { 0 };
	int fd = memfd_create("host", MFD_CLOEXEC);

	assert_int_equal(matrix_host_read(&host, fd, 0, &err), -EBADMSG);
	memset(&wrong, 0xff, sizeof(wrong));
	memset(&net, 0xff, sizeof(net));
	assert_int_equal(write(fd, &wrong, sizeof(wrong)), sizeof(wrong));
	assert_int_equal(matrix_host_read(&host, fd, 0, &err), 0);
	assert_int_equal(host.n_nets, 0);
	assert_int_equal(host.n_ueids, 0);
	assert_int_equal(host.n_chids, 0);
	assert_int_equal(strlen(host.name), sizeof(host.name) - 1);
	matrix_host_free(&host);
	wrong.n_nets = wrong.policy_len = 1;
	assert_int_equal(pwrite(fd, &wrong, sizeof(wrong), 0), sizeof(wrong));
	assert_int_equal(pwrite(fd, &net, sizeof(net), sizeof(wrong)), sizeof(net));
	assert_int_equal(matrix_host_read(&host, fd, 0, &err), 0);
	assert_int_equal(host.n_nets, 1);
	assert_true(policy_is_empty(&host.policy));
	assert_int_equal(host.nets[0].n_addrs, 0);
	assert_int_equal(strspn(host.nets[0].why, "?"), sizeof(host.nets[0].why) - 1);
	matrix_host_free(&host);
	/* Nothing of a host that is cut is left to be freed. */
	assert_int_equal(ftruncate(fd, sizeof(wrong) - 1), 0);
	assert_int_equal(matrix_host_read(&host, fd, 0, &err), -EBADMSG);
	assert_null(host.nets);
	close(fd);
}

static struct fixture fixture = { .setup = start };
