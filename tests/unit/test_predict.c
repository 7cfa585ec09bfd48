// SPDX-License-Identifier: MIT
/* smc_setup: the connection between two hosts, its gaps, and hosts from JSON. */
#include "said.h"

#include "smc_setup/setup.h"

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

/* Properties of a host: a bit of its traits, or of its first net device. */
static const struct {
	const char *name;
	uint32_t trait, flag;
} bits[] = {
	{ "smc", PREDICT_SMC },		{ "eids", PREDICT_EIDS },
	{ "system", PREDICT_SEID },	{ "loopback", PREDICT_LOOPBACK },
	{ "ism", PREDICT_ISM },		{ "cookies", PREDICT_COOKIES },
	{ "limited", PREDICT_LIMITED }, { "inner", PREDICT_INNER },
	{ "v1", 0, PREDICT_GID_V1 },	{ "v2", 0, PREDICT_GID_V2 },
};

static void set_bit(struct predict_host *host, const char *name, bool is_on)
{
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		if (strcmp(bits[i].name, name))
			continue;
		host->traits &= ~bits[i].trait;
		host->traits |= is_on ? bits[i].trait : 0;
		host->nets[0].flags &= ~bits[i].flag;
		host->nets[0].flags |= is_on ? bits[i].flag : 0;
		return;
	}
	fail_msg("unknown: %s", name);
}

/* A second net device like the first one, which has no RDMA port then. */
static void add_net(struct predict_host *host, const char *name)
{
	host->n_nets = 2;
	host->nets[1] = host->nets[0];
	strcpy(host->nets[1].name, name);
	host->nets[0].flags = 0;
}

static void set(struct predict_host *host, const char *key, const char *value)
{
	struct predict_net *net = host->nets;
	int number = atoi(value);

	if (!strcmp(key, "eids"))
		host->n_ueids = (uint32_t)number;
	else if (!strcmp(key, "eid"))
		strcpy(host->ueids[0], value);
	else if (!strcmp(key, "eid2"))
		strcpy(host->ueids[host->n_ueids++], value);
	else if (!strcmp(key, "seid"))
		strcpy(host->seid, value);
	else if (!strcmp(key, "boot"))
		strcpy(host->boot, value);
	else if (!strcmp(key, "release"))
		host->release = (uint32_t)number;
	else if (!strcmp(key, "links"))
		host->max_links = (uint32_t)number;
	else if (!strcmp(key, "chid"))
		host->n_chids = (uint32_t)((host->chids[0] = number) > 0);
	else if (!strcmp(key, "net"))
		add_net(host, value);
	else if (!strcmp(key, "card")) {
		host->n_nets = 2;
		host->nets[1] = host->nets[0];
		set_addr(&host->nets[1], 0, value);
	} else if (!strcmp(key, "addr"))
		set_addr(&net[host->n_nets - 1], 0, value);
	else if (!strcmp(key, "why"))
		strcpy(net->why, value);
	else if (!strcmp(key, "remedy"))
		strcpy(net->why[0] ? net->command : host->command, value);
	else if (!strcmp(key, "ism1"))
		net->flags |= (net->ism_v1 = number) ? PREDICT_ISM_V1 : 0;
	else
		fail_msg("unknown: %s", key);
}

/* Words "a.KEY=VALUE" for a host, "*.KEY=VALUE" for both; +NAME, -NAME for bits. _ is a blank. */
static void change(const char *words)
{
	char text[512], *at, *key, *value;

	snprintf(text, sizeof(text), "%s", words);
	for (char *word = strtok_r(text, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
		for (char *p = word; *p; p++)
			if (*p == '_' || *p == ';')
				*p = *p == '_' ? ' ' : '\n';
		for (int i = 0; i < 2; i++) {
			char copy[256];

			if (*word != '*' && *word != "ab"[i])
				continue;
			snprintf(copy, sizeof(copy), "%s", word + 1);
			key = copy + 1;
			value = strchr(key, '=');
			if (value)
				*value++ = '\0';
			if (*copy == '.')
				set(&pair.hosts[i], key, value);
			else
				set_bit(&pair.hosts[i], key, *copy == '+');
		}
	}
}

static struct prediction of(void)
{
	struct prediction result;

	memset(&result, 0xff, sizeof(result));
	predict(&result, &pair.hosts[0], &pair.hosts[1]);
	return result;
}

/* For changed hosts: mode, release, links, net devices, then "; MODE SIDE: GAP (REMEDY)". */
static void check(const char *words, const char *want)
{
	static const char *const modes[] = { "tcp", "r1", "r2", "d1", "d2" };
	static const char *const sides[] = { "client", "server", "both" };
	struct out_text text = { 0 };
	struct prediction result;

	start(NULL);
	change(words);
	result = of();
	out_printf(&text, "%s", modes[result.mode]);
	if (result.mode == PREDICT_SMCR_V2)
		out_printf(&text, ".%u x%u", result.release, result.max_links);
	if (result.client)
		out_printf(&text, " %s %s", result.client->name, result.server->name);
	out_str(&text, result.is_routed ? " routed" : "");
	for (size_t i = 0; i < result.n_gaps; i++) {
		const struct predict_gap *gap = &result.gaps[i];

		out_printf(&text, "; %s %s: ", modes[gap->mode], sides[gap->side]);
		predict_gap_text(&text, gap, gap->side == PREDICT_CLIENT ? "a" : "b");
		out_printf(&text, " (%s)", gap->command);
	}
	words = said(&text);
	if (!is_like(words, want))
		assert_string_equal(words, want);
}

#define R2 "r2.1 x2 eth0 eth0"

TEST(smcr)
{
	check("", R2);
	check("b.release=0", "r2.0 x0 eth0 eth0");
	check("*-v2 *+v1", "r1 eth0 eth0*");
	/* The address is in the subnet, but the server also compares the prefix length. */
	check("*-v2 *+v1 a.addr=10.0.0.1/16", "tcp*; r1 both: *one subnet* (ip -br address)*");
	check("*+v1 a.addr=10.0.0.1/16", "r2*");
	check("*+v1 a.addr=10.0.0.1/16 a.eids=0", "tcp*");
	check("*+v1 a.eids=0", "r1 *; r2 client: *no user EID* (smcd ueid add FLEET)*");
	check("b-v2 b.why=rxe0:_port_1_is_down b.remedy=ip_link",
	      "tcp*; r2 server: b: rxe0: port 1 is down (ip link)*");
	check("b-v2 b+v1", "tcp*; r2 server: *no GID of RoCE v2* (smc_rnics -w)*");
	check("a.links=1",
	      "r2.1 x1 *; r2 client: *one link* (sysctl -w net.smc.smcr_max_links_per_lgr=2)");
	check("*.links=1",
	      "r2.1 x1 *; r2 both: *one link* (sysctl -w net.smc.smcr_max_links_per_lgr=2)");
}

static void assert_links(const char *words, uint32_t links)
{
	start(NULL);
	change(words);
	assert_int_equal(of().links, links);
}

TEST(links)
{
	assert_links("", 1);
	assert_links("a.card=10.0.0.3/24 b.card=10.0.0.4/24", 2);
	assert_links("b.card=10.0.0.4/24", 2);
	/* A second card counts only in the subnet of the first. */
	assert_links("a.card=10.1.0.3/24 b.card=10.1.0.4/24", 1);
	assert_links("a.card=10.0.0.3/24 b.card=10.0.0.4/24 b.links=1", 1);
	assert_links("*+smc *+loopback *.boot=1 a.card=10.0.0.3/24", 0);
}

static void assert_line(const char *command, const char *want)
{
	char line[PREDICT_COMMAND_SIZE] = "";
	bool is_line = predict_conf_line(line, command);

	assert_int_equal(is_line, *want != '\0');
	if (is_line)
		assert_string_equal(line, want);
}

TEST(commands_are_lines_of_smc_conf)
{
	assert_line("smcd ueid add FLEET", "eid FLEET");
	assert_line("smcd ueid add '$(x)'", "");
	assert_line("smcd ueid add A, B", "");
	assert_line("sysctl -w net.smc.smcr_max_links_per_lgr=2",
		    "net.smc.smcr_max_links_per_lgr=2");
	assert_line("sysctl -w net.ipv4.tcp_syncookies=1", "");
	assert_line("smcr hs disable", "handshake-limit off");
	assert_line("smc_pnet -a NET1 -I eth0", "pnetid NET1 net eth0");
	assert_line("smc_pnet -a NET1 -D mlx5_0 -P 2", "pnetid NET1 device mlx5_0 port 2");
	assert_line("smc_pnet -a NET1 -I eth0 -D mlx5_0 -P 1",
		    "pnetid NET1 net eth0 device mlx5_0 port 1");
	assert_line("smc_pnet -d NET1; smc_pnet -a NET1 -I eth0", "");
	assert_line("ip -br address", "");
}

static int read_changes(const char *text, struct changes *changes)
{
	char copy[512];
	struct smc_err err;

	snprintf(copy, sizeof(copy), "%s", text);
	return changes_read(changes, copy, 2, &err);
}

TEST(changes_of_hosts_are_checked)
{
	static const char *const wrong[] = {
		"line 2 eid A\n",     "line 0 scope /\n",
		"line 0 eid A;id\n",  "test 0 1 9 0 10.0.0.1\n",
		"test 0 2 0 0 ::1\n", "test 0 1 2 0 $(id)\n",
		"nothing\n",
	};
	struct changes changes = { 0 };

	assert_int_equal(read_changes("line 1 eid A\nline 1 eid AB\nline 1 eid A\n"
				      "test 1 0 2 1 10.0.0.1\n",
				      &changes),
			 0);
	assert_null(changes.lines[0]);
	assert_string_equal(changes.lines[1], "eid A\neid AB\n");
	assert_int_equal(changes.n_tests, 1);
	changes_free(&changes);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(read_changes(wrong[i], &changes), -EBADMSG);
		changes_free(&changes);
	}
}

TEST(eids)
{
	check("b.eid=OTHER", "tcp*; r2 server: *no user EID in common* (smcd ueid add FLEET)*");
	check("b.eid=OTHER a.eid2=OTHER", R2);
	check("b.eid=OTHER a.eids=0", "tcp*; r2 client: a has no user EID* (smcd ueid add OTHER)*");
	check("*.eids=0", "tcp*; r2 both: *neither* (smcd ueid add MYEID)*");
	/* The peer has chosen a hostile EID. */
	check("a.eids=0 b.eid=$(x)", "tcp*; r2 client: *no user EID* (smcd ueid add '$(x)')*");
	check("b-eids",
	      "tcp*; r2 server: the kernel of b has no EIDs* (install kernel 5.16 or later)*");
	/* The system EID is for SMC-D only. */
	check("*.eids=0 *+system *.seid=MACHINE", "tcp*");
}

TEST(addresses)
{
	check("b.addr=10.1.0.2/24", R2 " routed*");
	check("a.addr=fd00::1/64 b.addr=fd00::2/64",
	      "tcp*; r2 both: *IPv4 only* (give both an address in one IPv4 subnet)*");
	check("a.addr=fd00::1/64 b.addr=fd00::2/64 *-v2 *+v1", "r1 *");
	check("a.addr=fd00::1/64 b.addr=10.1.0.2/24",
	      "tcp; tcp both: *neither host* (ip -br address)*");
	/* A bridge with the same address on every host is no connection. */
	check("*.net=docker0 *.addr=172.17.0.1/16", "tcp eth0 eth0*");
	check("*.net=eth1 a.addr=10.9.0.1/24 b.addr=10.9.0.2/24", "r2.1 x2 eth1 eth1*");
}

#define ISM "*+ism *.chid=7 "

TEST(smcd)
{
	check(ISM "b.chid=8", R2 "; d2 both: *CHID* (smcd device)*");
	check(ISM, "d2 eth0 eth0");
	check(ISM "a.seid=ONE b.seid=TWO", R2 "; d2 both: *different machines* ()*");
	check(ISM "*.seid=ONE b.eids=0", "tcp*");
	check(ISM "*.seid=ONE b.eids=0 a+system", "tcp*");
	check(ISM "*.seid=ONE b.eids=0 *+system", "d2 *");
	/* Version 1 needs a subnet, and the same channel on both interfaces. */
	check("*+ism *.eids=0 *.ism1=9", "d1 *");
	check("*+ism *.eids=0 a.ism1=8 b.ism1=9", "tcp*");
	check("*+ism *.eids=0 *.ism1=9 a.addr=10.3.0.1/24", "tcp*");
}

TEST(one_kernel)
{
	check("*+loopback", R2 "*");
	check("*+loopback a.boot=1 b.boot=2", R2 "*");
	check("*+loopback *.boot=1", "d2 *");
	check("*+loopback *.boot=1 a+inner", "d2 eth0 eth0");
	check("*+loopback *.boot=1 *+inner", "d2 *; d2 both: TCP if loopback has a PNET ID* ()");
	check("a+loopback *.boot=1", R2 "; d2 both: *no loopback* ()*");
}

TEST(no_smc)
{
	check("b+cookies", "tcp*; tcp server: *cookie* (sysctl -w net.ipv4.tcp_syncookies=1)*");
	check("a+cookies", R2);
	check("b+limited", R2 "; r2 server: *limits* (smcr hs disable)");
	check("b-smc b-eids b.remedy=modprobe_smc",
	      "tcp eth0 eth0; tcp server: b: no SMC* (modprobe smc)");
}

TEST(same)
{
	static const char *const steps[] = { "*-v2 b.eid=OTHER", "*+v2", "b+cookies" };
	struct prediction forth, back;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		change(steps[i]);
		predict(&forth, &pair.hosts[0], &pair.hosts[1]);
		predict(&back, &pair.hosts[1], &pair.hosts[0]);
		assert_true(forth.n_gaps);
		assert_int_equal(predict_same(&forth, &back), i < 2);
	}
}

static struct predict_host parsed(const char *text)
{
	struct predict_host host = { .n_nets = 0 };
	struct smc_err err = { 0 };
	json_auto_t *doc = json_loads(text, 0, NULL);

	assert_non_null(doc);
	assert_int_equal(host_parse(&host, doc, &err), 0);
	return host;
}

TEST(host)
{
	struct predict_host host = parsed(
		"{\"facts\": {\"has_smc\": true, \"release\": 1, \"max_links\": 2, "
		"\"shows_loopback_pnetid\": true, \"ueids\": [\"FLEET\"], \"net_devices\": "
		"[{\"net_device\": \"eth0\", \"addresses\": [\"10.0.0.1/24\", \"fd00::1/64\"], "
		"\"smcr_v2\": true}]}}");

	assert_int_equal(host.traits, PREDICT_SMC | PREDICT_EIDS);
	assert_string_equal(host.ueids[0], "FLEET");
	assert_int_equal(host.n_nets, 1);
	assert_string_equal(host.nets[0].name, "eth0");
	assert_int_equal(host.nets[0].flags, PREDICT_GID_V2);
	assert_int_equal(host.nets[0].n_addrs, 2);
	free(host.nets);
}

/* A host may send anything: nothing exceeds the structs, control characters are replaced. */
TEST(hostile_host)
{
	static const char eids[] =
		"{\"facts\": {\"ueids\": [1, \"A\", \"A\", \"A\", \"A\", \"A\", "
		"\"123456789012345678901234567890123\"], \"smcd_v2_chids\": [1, "
		"2, 3, 4, 5, 6, 7, 8, 9], \"boot_id\": \"%0200d\", \"why\": "
		"\"\\u001b[2J\\u009b\", \"remedy\": \"%0300d\", \"net_devices\": "
		"[{\"addresses\": [\"10.0.0.1/99\", \"x\", 7]}, 5]}}";
	char text[2048];
	struct predict_host host;
	struct smc_err err = { 0 };
	json_auto_t *none = json_loads("{\"schema\": \"smc-tools/doctor/1\"}", 0, NULL);

	snprintf(text, sizeof(text), eids, 0, 0);
	host = parsed(text);
	assert_int_equal(host.n_ueids, SMC_MAX_UEIDS);
	assert_int_equal(host.n_chids, PREDICT_CHIDS);
	assert_int_equal(strlen(host.boot), sizeof(host.boot) - 1);
	assert_string_equal(host.why, "?[2J??");
	assert_string_equal(host.command, "");
	assert_int_equal(host.nets[0].n_addrs, 0);
	free(host.nets);
	assert_int_equal(host_parse(&host, none, &err), -EBADMSG);
}

static struct fixture fixture = { .setup = start };
