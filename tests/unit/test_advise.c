// SPDX-License-Identifier: MIT
/* smc_advise: from observed connections to rows with classes, ways and advice. */
#include "smc/buffer_sizes.h"
#include "addr.h"

#include "smc_advise/advice.h"

#define GO "10.1.0.1" /* an address of eth0, which supports SMC-R v1 and v2 */

static struct netaddr own[] = {
	{ .netdev = "lo", .family = AF_INET, .prefix = 8, .bytes = { 127, 0, 0, 1 } },
	{ .netdev = "eth0", .family = AF_INET, .prefix = 16, .bytes = { 10, 1, 0, 1 } },
	{ .netdev = "eth1", .family = AF_INET, .prefix = 24, .bytes = { 203, 0, 113, 1 } },
	{ .netdev = "eth2", .family = AF_INET, .prefix = 16, .bytes = { 10, 2, 0, 1 } },
};

/* A host, its connections, and the result. */
static struct host {
	struct device_mode modes[4];
	struct devices devices;
	struct tally tally;
	struct judged judged;
	uint64_t cookie, now;
} host;

FIXTURE(start)
{
	static const struct device_mode modes[] = {
		{ "lo", "SMC-D", 2, .is_loopback = true },
		{ "eth0", "SMC-R", 1 },
		{ "eth0", "SMC-R", 2 },
		{ "eth2", "SMC-R", 1 },
	};

	host = (struct host){ .now = 1000 };
	memcpy(host.modes, modes, sizeof(modes));
	host.devices = (struct devices){
		.modes = host.modes,
		.count = ARRAY_SIZE(modes),
		.addrs = { .addrs = own, .count = ARRAY_SIZE(own), .is_known = true },
		.has_smc = true,
	};
	host.tally.own = &host.devices.addrs;
	tally_start(&host.tally);
	return 0;
}

FIXTURE(end)
{
	judged_free(&host.judged);
	tally_free(&host.tally);
	return 0;
}

/* A connection that received this many bytes, in segments of 1000 bytes. */
static struct smc_tcp conn(const char *local, uint16_t port, const char *peer, uint16_t peer_port,
			   uint64_t bytes)
{
	return (struct smc_tcp){ .local = address(local, port),
				 .peer = address(peer, peer_port),
				 .cookie = ++host.cookie,
				 .inode = 100,
				 .has_info = true,
				 .received = bytes,
				 .sent = 10,
				 .segs_sent = 1,
				 .mss = 1448,
				 .segs_received = (uint32_t)(bytes / 1000) };
}

static uint32_t owner(const char *comm, const char *unit, bool is_user)
{
	struct tally_owner found = { .is_user = is_user };

	snprintf(found.comm, sizeof(found.comm), "%s", comm);
	snprintf(found.unit, sizeof(found.unit), "%s", unit);
	return tally_owner(&host.tally, &found);
}

static void die(const struct smc_tcp *tcp, uint32_t who, enum tally_side side, uint64_t life)
{
	const struct tally_death death = {
		.tcp = *tcp, .owner = who, .side = side, .born = host.now - life
	};

	tally_die(&host.tally, &death, host.now);
}

static void finish(void)
{
	tally_finish(&host.tally, host.now);
	advise_judge(&host.judged, &host.tally, &host.devices);
}

/* The row of a peer, which must exist. */
static const struct judge_row *row_of(const char *peer)
{
	const struct judge_row *found = NULL;

	for (size_t i = 0; i < host.judged.count; i++)
		if (!strcmp(host.judged.rows[i].peer, peer)) {
			assert_null(found);
			found = &host.judged.rows[i];
		}
	assert_non_null(found);
	return found;
}

static void client(const char *local, const char *peer, uint64_t bytes, uint64_t life)
{
	struct smc_tcp tcp = conn(local, 40000, peer, 5432, bytes);

	die(&tcp, owner("app", "", false), SIDE_CLIENT, life);
}

TEST(test_classes)
{
	host.now = 1000000;
	client(GO, "10.1.0.2", 31999, 5000);
	client(GO, "10.1.0.3", 31999, 20000);
	client(GO, "10.1.0.4", 32000, 5000);
	finish();
	assert_int_equal(row_of("10.1.0.2")->class, CLASS_SHORT);
	assert_int_equal(row_of("10.1.0.3")->class, CLASS_QUIET);
	assert_int_equal(row_of("10.1.0.4")->class, CLASS_SUITED);
	assert_true(advise_is_suited(2, 0, 2 * ADVISE_BYTES));
	assert_false(advise_is_suited(2, 0, 2 * ADVISE_BYTES - 1));
	assert_false(advise_is_suited(0, 100, ADVISE_BYTES));
	assert_string_equal(row_of("10.1.0.2")->advice, "keep TCP");
	/* The program has other connections that would lose: the advice is limited to this peer. */
	assert_string_equal(row_of("10.1.0.4")->advice, "smc_run --include 10.1.0.4:5432 app");
	assert_int_equal(host.judged.sum.conns, 3);
	assert_int_equal(host.judged.sum.suited_conns, 1);
	assert_int_equal(host.judged.sum.suited_bytes, 32010);
	assert_int_equal(host.judged.sum.memory, 2 * SMC_GOOD_BUFFER);
}

/* Version 2 waits for an EID. */
static void set_eid(bool has_eid)
{
	for (size_t i = 0; i < ARRAY_SIZE(host.modes); i++)
		host.modes[i].is_waiting = host.modes[i].version == 2 && !has_eid;
}

static const char *way_to(const char *local, const char *peer, bool has_eid)
{
	static char text[USE_TEXT_SIZE];

	end(NULL);
	start(NULL);
	host.now = 1000000;
	set_eid(has_eid);
	client(local, peer, 1000000, 5000);
	finish();
	assert_int_equal(host.judged.count, 1);
	strcpy(text, host.judged.rows[0].use.is_possible ? host.judged.rows[0].use.text :
							   host.judged.rows[0].use.why_not);
	assert_int_equal(host.judged.rows[0].profits, host.judged.rows[0].use.is_possible);
	return text;
}

TEST(test_ways)
{
	static const char eid[] = ", once there is an EID";
	char want[64];

	assert_string_equal(way_to("127.0.0.1", "127.0.0.1", true), "SMC-D loopback");
	snprintf(want, sizeof(want), "SMC-D loopback%s", eid);
	assert_string_equal(way_to("127.0.0.1", "127.0.0.1", false), want);
	assert_string_equal(way_to(GO, GO, true), "SMC-D loopback");
	assert_string_equal(way_to(GO, "10.1.0.2", true), "SMC-R v1");
	assert_string_equal(way_to(GO, "10.9.0.2", true), "SMC-R v2");
	snprintf(want, sizeof(want), "SMC-R v2%s", eid);
	assert_string_equal(way_to(GO, "10.9.0.2", false), want);
	/* Version 1 needs no EID. */
	assert_string_equal(way_to(GO, "10.1.0.2", false), "SMC-R v1");
	assert_string_equal(way_to("10.2.0.1", "10.2.0.2", true), "SMC-R v1");
	assert_like(way_to("10.2.0.1", "10.3.0.2", true), "eth2 has only version 1, *");
	/* A public address, but in this host's subnet. */
	assert_like(way_to("203.0.113.1", "203.0.113.9", true), "neither *RDMA *ISM * eth1");
	assert_like(way_to(GO, "198.51.100.1", true), "* internet");
	assert_like(way_to("10.8.8.8", "10.9.9.9", true), "no net device *address");
}

TEST(test_devices)
{
	struct devices devices = { .count = 0 };

	assert_false(devices_parse(&devices, "smc_chk: no"));
	assert_false(devices_parse(&devices, "{}"));
	assert_true(devices_parse(
		&devices,
		"{\"net_devices\":[{\"net_device\":\"eth0\",\"configuration\":[{\"mode\":"
		"\"SMC-R\",\"version\":1}],\"without_eid\":[{\"mode\":\"SMC-D\",\"version\":"
		"2,\"is_loopback\":true}]},{\"net_device\":1}]}\nsmc_chk: more"));
	assert_int_equal(devices.count, 2);
	assert_string_equal(devices.modes[0].netdev, "eth0");
	assert_string_equal(devices.modes[0].name, "SMC-R");
	assert_int_equal(devices.modes[0].version, 1);
	assert_false(devices.modes[0].is_loopback || devices.modes[0].is_waiting);
	assert_true(devices.modes[1].is_loopback && devices.modes[1].is_waiting);
	devices_free(&devices);
}

TEST(test_peers)
{
	static const struct {
		const char *ip;
		enum tally_peers peers;
	} cases[] = {
		{ "127.3.0.9", PEERS_LOCAL },	   { "::1", PEERS_LOCAL },
		{ "10.2.0.1", PEERS_LOCAL },	   { "203.0.113.1", PEERS_LOCAL },
		{ "203.0.113.2", PEERS_NEAR },	   { "203.0.114.2", PEERS_INTERNET },
		{ "172.15.0.1", PEERS_INTERNET },  { "172.16.0.1", PEERS_NEAR },
		{ "172.31.255.255", PEERS_NEAR },  { "172.32.0.1", PEERS_INTERNET },
		{ "192.168.9.9", PEERS_NEAR },	   { "100.64.0.1", PEERS_NEAR },
		{ "100.128.0.1", PEERS_INTERNET }, { "169.254.1.1", PEERS_NEAR },
		{ "fd00::1", PEERS_NEAR },	   { "fe80::1", PEERS_NEAR },
		{ "2001:db8::1", PEERS_INTERNET },
	};
	const struct netaddr_table table = { .addrs = own, .count = ARRAY_SIZE(own) };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct smc_addr addr = address(cases[i].ip, 0);

		assert_int_equal(tally_peers_of(&table, &addr), cases[i].peers);
	}
}

/* A connection seen by polling only: it is listed twice, and missing twice. */
TEST(test_lists)
{
	struct smc_tcp tcp, listener = { .is_listener = true, .inode = 9 };

	listener.local = address("0.0.0.0", 80);
	tcp = conn(GO, 80, "10.1.0.2", 40000, 5000);
	for (unsigned int round = 1; round <= 5; round++) {
		host.now += 1000;
		tally_begin(&host.tally, host.now);
		tally_see(&host.tally, &listener);
		/* The connection exists from the second poll on. */
		if (round == 2 || round == 3)
			tally_see(&host.tally, &tcp);
		tcp.received += 5000;
		tally_end(&host.tally);
		assert_int_equal(host.tally.n_live, round > 1 && round < 5);
	}
	finish();
	assert_int_equal(host.judged.count, 1);
	assert_int_equal(host.judged.rows[0].group->side, SIDE_SERVER);
	assert_int_equal(host.judged.rows[0].group->port, 80);
	assert_int_equal(host.judged.rows[0].group->open_peak, 1);
	assert_int_equal(host.judged.rows[0].bytes, 15010);
	assert_true(host.judged.rows[0].life >= 2000 && host.judged.rows[0].life <= 4000);
	assert_false(host.judged.rows[0].is_life_least);
}

/* Closed before the watch, in TIME_WAIT; and a connection whose beginning eBPF did not see. */
TEST(test_past)
{
	struct tally_death death = { .owner = 0 };
	struct smc_tcp tcp;

	tcp = conn(GO, 40000, "10.1.0.2", 80, 5000);
	tcp.is_over = true;
	for (unsigned int round = 1; round <= 2; round++) {
		tally_begin(&host.tally, round * 1000);
		tally_see(&host.tally, &tcp);
		tally_end(&host.tally);
	}
	death.tcp = tcp;
	tally_die(&host.tally, &death, 2500);
	assert_int_equal(host.tally.n_live, 0);
	death.tcp.cookie = ++host.cookie;
	tally_die(&host.tally, &death, 2500);
	/* Closed during the watch: it counts. */
	tcp.cookie = ++host.cookie;
	tally_see(&host.tally, &tcp);
	host.now = 3000;
	finish();
	assert_int_equal(host.judged.count, 1);
	assert_int_equal(host.judged.sum.conns, 1);
}

/* After its end a connection is still listed by the kernel, with its addresses only. */
TEST(test_remnant)
{
	struct tally_death death = { .born = 1200 };
	struct smc_tcp left;

	death.tcp = conn(GO, 40000, "10.1.0.2", 80, 5000);
	tally_begin(&host.tally, 1000);
	tally_end(&host.tally);
	tally_die(&host.tally, &death, 1500);
	left = (struct smc_tcp){ .local = death.tcp.local,
				 .peer = death.tcp.peer,
				 .cookie = death.tcp.cookie,
				 .is_over = true,
				 .is_remnant = true };
	tally_begin(&host.tally, 2000);
	tally_see(&host.tally, &left);
	tally_end(&host.tally);
	finish();
	assert_int_equal(host.judged.sum.conns, 1);
}

static uint32_t name(void *arg, uint64_t inode)
{
	return inode == 9 ? *(const uint32_t *)arg : 0;
}

/* Missed by polling, without a process: attributed to the listener. */
TEST(test_ends)
{
	struct smc_tcp listener = { .is_listener = true, .inode = 9 };
	struct tally_death death = { .born = 1000 };
	uint32_t who;

	who = owner("web", "nginx.service", false);
	listener.local = address("0.0.0.0", 80);
	tally_begin(&host.tally, 1000);
	tally_see(&host.tally, &listener);
	tally_name(&host.tally, name, &who);
	tally_end(&host.tally);
	for (unsigned int i = 0; i < 2; i++) {
		death.tcp = conn("127.0.0.1", 80, "127.0.0.1", (uint16_t)(40000 + i), 500);
		tally_die(&host.tally, &death, 1200 + 100 * i);
	}
	/* Refused, or never connected. */
	death.born = 0;
	death.tcp = conn("127.0.0.1", 40000, "127.0.0.1", 81, 0);
	tally_die(&host.tally, &death, 1300);
	host.now = 2000;
	finish();
	assert_int_equal(host.judged.count, 1);
	assert_string_equal(host.judged.rows[0].owner->comm, "web");
	assert_int_equal(host.judged.rows[0].group->conns, 2);
	assert_int_equal(host.judged.rows[0].life, 250);
}

TEST(test_smc)
{
	struct smc_sock smcs[2] = {
		{ .state = SMC_ABI_ACTIVE, .mode = SMC_DIAG_MODE_SMCD, .inode = 9 },
	};
	struct smc_tcp tcp, other;
	uint32_t who;

	who = owner("app", "", false);
	tcp = conn(GO, 40000, "10.1.0.2", 80, 5000);
	other = conn(GO, 40001, "10.1.0.2", 80, 5000);
	smcs[0].local = tcp.local;
	smcs[0].peer = tcp.peer;
	smcs[1] = (struct smc_sock){ .state = SMC_ABI_LISTEN, .local = address("0.0.0.0", 90) };
	tally_begin(&host.tally, 1000);
	tally_see(&host.tally, &tcp);
	tally_see(&host.tally, &other);
	tally_smcs(&host.tally, smcs, 2);
	tally_name(&host.tally, name, &who);
	tally_end(&host.tally);
	/* A connection of an SMC listener; transport unknown. */
	tcp = conn(GO, 90, "10.1.0.3", 4000, 5000);
	die(&tcp, 0, SIDE_UNKNOWN, 100);
	finish();
	assert_int_equal(host.judged.count, 3);
	assert_int_equal(row_of("10.1.0.3")->group->carrier, CARRIER_SMC);
	assert_int_equal(host.judged.sum.smc_conns, 2);
	assert_int_equal(host.judged.sum.conns, 1);
	for (size_t i = 0; i < 3; i++)
		if (host.judged.rows[i].group->carrier == CARRIER_SMCD) {
			assert_string_equal(host.judged.rows[i].owner->comm, "app");
			assert_string_equal(host.judged.rows[i].advice, "uses SMC");
		}
}

TEST(test_bars)
{
	struct smc_tcp tcp;

	tcp = conn(GO, 40000, "10.1.0.2", 80, 5000000);
	strcpy(tcp.ulp, "tls");
	die(&tcp, 0, SIDE_CLIENT, 100);
	tcp = conn(GO, 40000, "10.1.0.3", 80, 5000000);
	strcpy(tcp.ulp, "mptcp");
	die(&tcp, 0, SIDE_CLIENT, 100);
	tcp = conn(GO, 40000, "10.1.0.4", 80, 5000000);
	tcp.is_signed = true;
	die(&tcp, 0, SIDE_CLIENT, 100);
	tcp = conn(GO, 40000, "10.1.0.5", 80, 5000000);
	tcp.is_fast_open = true;
	die(&tcp, 0, SIDE_CLIENT, 100);
	finish();
	assert_string_equal(row_of("10.1.0.2")->advice, "keep TCP: TLS in the kernel");
	assert_string_equal(row_of("10.1.0.3")->advice, "keep TCP: MPTCP");
	assert_string_equal(row_of("10.1.0.4")->advice, "keep TCP: TCP-MD5 signatures");
	assert_string_equal(row_of("10.1.0.5")->advice, "keep TCP: TCP Fast Open");
	assert_int_equal(host.judged.sum.suited_bytes, 0);
}

static void check_advice(const char *comm, const char *unit, bool is_user, enum tally_side side,
			 bool has_eid, const char *want)
{
	struct smc_tcp tcp;

	end(NULL);
	start(NULL);
	set_eid(has_eid);
	tcp = conn(GO, 80, "10.9.0.2", 81, 5000000);
	die(&tcp, owner(comm, unit, is_user), side, 100);
	tcp = conn(GO, 8080, "198.51.100.1", 8181, 50);
	if (side == SIDE_SERVER)
		die(&tcp, owner(comm, unit, is_user), side, 100);
	finish();
	assert_like(row_of("10.9.0.2")->advice, want);
}

TEST(test_advice)
{
	check_advice("postgres", "postgresql@15-main.service", false, SIDE_CLIENT, false,
		     "smcd ueid add NAME; smc_unit enable postgresql@15-main");
	check_advice("postgres", "", false, SIDE_CLIENT, true, "smc_run postgres");
	check_advice("db", "db.service", true, SIDE_CLIENT, true, "smc_unit enable --user db");
	check_advice("web", "web.service", false, SIDE_SERVER, true,
		     "smc_unit enable --include listen:80 web");
	check_advice("", "", false, SIDE_SERVER, true, "smc_run COMMAND");
	/* A hostile name. */
	check_advice("a;reboot", "", false, SIDE_CLIENT, true, "smc_run 'a;reboot'");
	check_advice("a\33[2J", "", false, SIDE_CLIENT, true,
		     "smc_run \"$(printf %b 'a\\0033\\01332J')\"");
	check_advice("--disable", "", false, SIDE_CLIENT, true, "smc_run -- --disable");
	check_advice("a\n", "", false, SIDE_CLIENT, true, "smc_run for a command *");
}

/* More connections, processes and peers than the limits allow. */
TEST(test_limits)
{
	uint64_t conns = 0;
	char ip[32];

	host.now = 1000000;
	for (unsigned int i = 0; i < 100; i++) {
		snprintf(ip, sizeof(ip), "10.1.1.%u", i);
		client(GO, ip, 100, 100);
	}
	for (unsigned int i = 0; i < 3000; i++) {
		struct smc_tcp tcp = conn(GO, 40000, "10.1.2.1", 80, 100);
		char comm[16];

		snprintf(comm, sizeof(comm), "p%u", i);
		die(&tcp, owner(comm, "", false), SIDE_CLIENT, 100);
	}
	finish();
	assert_true(host.tally.is_capped);
	assert_true(host.tally.n_owners && host.tally.n_owners <= TALLY_OWNERS_MAX);
	assert_true(host.tally.n_groups && host.tally.n_groups <= TALLY_GROUPS_MAX + 3);
	for (size_t i = 0; i < host.judged.count; i++) {
		conns += host.judged.rows[i].group->conns;
		if (!strcmp(host.judged.rows[i].peer, "(other peers)") &&
		    *host.judged.rows[i].owner->comm == 'a')
			assert_int_equal(host.judged.rows[i].group->conns, 100 - TALLY_PEERS_MAX);
	}
	assert_int_equal(conns, 3100);
}

TEST(test_text)
{
	static const struct watched watched = { .duration = 60000,
						.interval = 500,
						.why_not = "because",
						.is_lossy = true,
						.is_blind = true };
	struct out_text text = { 0 };

	host.now = 100000000;
	client(GO, "10.1.0.2", 3100000, 41000);
	for (int i = 0; i < 199; i++)
		client(GO, "198.51.100.7", 9000, 300);
	finish();
	advice_text(&text, &host.judged, &host.tally, &watched, 0);
	out_char(&text, '\0');
	assert_like(
		text.data,
		"Process  Side    Port Peer       Conns  Life Bytes/conn    Send Would use Advice\n"
		"app      client  5432 10.1.0.2       1  41 s     3.1 MB    10 B SMC-R v1  "
		"smc_run --include 10.1.0.2:5432 app\n"
		"app      client  5432 (internet)   199 0.3 s     9.0 kB    10 B -         keep TCP\n"
		"63 % of the bytes and less than 1 % of the connections would benefit, using "
		"about 1 MiB of memory with 512 KiB buffers.\n"
		"Watched for 60 s by lists of sockets, which miss connections shorter than "
		"the interval (0.5 s); because.\n"
		"Processes of other users *: only root *\n"
		"Too many connections *: some are missing.\n");
	out_reset(&text);
	advice_text(&text, &host.judged, &host.tally, &watched, 50);
	out_char(&text, '\0');
	assert_memory_equal(text.data,
			    "Process  Port  Peer        Bytes/conn  Advice\n"
			    "app      5432  10.1.0.2        3.1 MB  use SMC\n"
			    "app      5432  (internet)      9.0 kB  keep TCP\n"
			    "-> smc_run --include 10.1.0.2:5432 app\n",
			    179);
	out_free(&text);
}

static struct fixture fixture = { .setup = start, .teardown = end };
