// SPDX-License-Identifier: MIT
/*
 * The columns of smcss and smc_top: one set of sockets as text and as JSON. The output is parsed
 * and compared with the structs by value.
 */
#include "said.h"

#include <inttypes.h>
#include <jansson.h>
#include <pwd.h>

#include "smc/reason.h"
#include "smc_top/top.h"
#include "smcss/smcss.h"
#include "sockets/show.h"

/* Independent of the users of this machine. */
struct passwd *getpwuid(uid_t uid)
{
	static char name[] = "red\x1b[31m";
	static struct passwd user = { .pw_name = name };

	return uid == 1000 ? &user : NULL;
}

static const struct proc_fd holders[] = {
	{ .inode = 77, .pid = 100, .fd = 5, .comm = "redis-server" },
	{ .inode = 77, .pid = 101, .fd = 3, .comm = "x\x1b]0;evil\a\"" },
	{ .inode = 77, .pid = 102, .fd = 4, .comm = "m\xc3\xbc\xff" },
};

static const struct sockets_row smcr = {
	.sock = {
		.has = SMC_SOCK_HAS_CONN | SMC_SOCK_HAS_LGR | SMC_SOCK_HAS_SHUTDOWN |
		       SMC_SOCK_HAS_FALLBACK,
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.mode = SMC_DIAG_MODE_SMCR,
		.shutdown = 2,
		.local = { .family = AF_INET, .ip = { 10, 8, 0, 1 }, .port = 6379 },
		.peer = { .family = AF_INET, .ip = { 255, 255, 255, 254 }, .port = 65535 },
		.ifindex = 11,
		.uid = 1000,
		.inode = 77,
		.cookie = 0xfedcba9876543210,
		.conn = {
			.token = 0xdeadbeef,
			.sndbuf_size = 65536,
			.rmbe_size = 0xffffffff,
			.peer_rmbe_size = 65504,
			.rx_prod = { .wrap = 1, .count = 100 },
			.rx_cons = { .wrap = 65535, .count = 4294967295 },
			.tx_prod = { .wrap = 3, .count = 300 },
			.tx_cons = { .wrap = 4, .count = 400 },
			.rx_prod_flags = 0x80,
			.rx_conn_state_flags = 0x40,
			.tx_prod_flags = 0x20,
			.tx_conn_state_flags = 0x10,
			.tx_prep = { .wrap = 5, .count = 500 },
			.tx_sent = { .wrap = 6, .count = 600 },
			.tx_fin = { .wrap = 7, .count = 700 },
		},
		.lgr = {
			.link_id = 0xfe,
			.ibname = "mlx5_\x1b[2J",
			.ibport = 2,
			.gid = "fe80:0000:0000:0000:0000:0000:0000:0001",
			.peer_gid = "fe80:0000:0000:0000:0000:0000:0000:0002",
			.role = 1,
		},
	},
	.holders = holders,
	.n_holders = 3,
};

static const struct sockets_row smcd = {
	.sock = {
		.has = SMC_SOCK_HAS_DMB | SMC_SOCK_HAS_GID_EXT | SMC_SOCK_HAS_SHUTDOWN,
		.family = AF_INET6,
		.state = SMC_ABI_PEERCLOSEWAIT1,
		.mode = SMC_DIAG_MODE_SMCD,
		.shutdown = 1,
		.local = { .family = AF_INET6, .ip = { 0x20, 1, 0xd, 0xb8, [15] = 1 }, .port = 80 },
		.peer = { .family = AF_INET6, .ip = { [10] = 0xff, 0xff, 10, 0, 0, 9 }, .port = 9 },
		.uid = 4294967294,
		.inode = 0x123456789a,
		.dmb = {
			.linkid = 0x100,
			.peer_gid = 0x77e1f15f6e524647,
			.my_gid = 1,
			.token = 0xffffffffffffffff,
			.peer_token = 0x8000000000000000,
			.peer_gid_ext = 0xafeeb2631779230c,
		},
	},
};

/* Without the GID extension, as in kernels up to 6.7. */
static const struct sockets_row old_smcd = {
	.sock = {
		.has = SMC_SOCK_HAS_DMB,
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.mode = SMC_DIAG_MODE_SMCD,
		.dmb = { .my_gid = 5, .peer_gid_ext = 99 /* stale, must not be shown */ },
	},
};

static const struct sockets_row fallback = {
	.sock = {
		.has = SMC_SOCK_HAS_FALLBACK,
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.mode = SMC_DIAG_MODE_FALLBACK_TCP,
		.local = { .family = AF_INET, .ip = { 127, 0, 0, 1 }, .port = 1 },
		.peer = { .family = AF_INET, .ip = { 127, 0, 0, 1 }, .port = 2 },
		.fallback = { .reason = 0x05000000, .peer_diagnosis = 0x03030008 },
	},
};

/* Codes and a state that Linux does not have, unknown addresses. */
static const struct sockets_row strange = {
	.sock = {
		.has = SMC_SOCK_HAS_FALLBACK,
		.family = AF_INET,
		.state = 99,
		.mode = SMC_DIAG_MODE_FALLBACK_TCP,
		.local = { .port = 443 },
		.fallback = { .reason = 0xfffffff1, .peer_diagnosis = 0x12345678 },
	},
};

static const struct sockets_row listener = {
	.sock = {
		.has = SMC_SOCK_HAS_FALLBACK | SMC_SOCK_HAS_SHUTDOWN,
		.family = AF_SMC,
		.state = SMC_ABI_LISTEN,
		.local = { .family = AF_INET6, .port = 80 },
	},
};

static const struct sockets_row fresh = {
	.sock = { .family = 7, .state = SMC_ABI_INIT },
};

static json_t *back(const struct sockets_row *sample)
{
	json_t *json = out_json(smcss_columns, NULL, sample), *again;
	char *text = json_dumps(json, JSON_COMPACT);

	assert_non_null(text);
	for (const char *p = text; *p; p++)
		assert_true((unsigned char)*p >= 0x20);
	again = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(again);
	free(text);
	json_decref(json);
	return again;
}

/* The member at a path such as "smcr.gid"; NULL if any part is missing. */
static const json_t *at(const json_t *json, const char *path)
{
	while (json && *path) {
		char key[32];
		size_t len = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		json = json_object_get(json, key);
		path += len + (path[len] == '.');
	}
	return json;
}

static void same_number(const json_t *json, const char *path, uint64_t want)
{
	const json_t *value = at(json, path);

	if (!json_is_integer(value) || (uint64_t)json_integer_value(value) != want)
		fail_msg("%s is not %" PRIu64, path, want);
}

static void same_string(const json_t *json, const char *path, const char *want)
{
	const json_t *value = at(json, path);

	if (!json_is_string(value))
		fail_msg("%s is not a string", path);
	assert_string_equal(json_string_value(value), want);
}

static void same_hex(const json_t *json, const char *path, uint64_t want)
{
	const json_t *value = at(json, path);

	if (!json_is_string(value) || strtoull(json_string_value(value), NULL, 16) != want)
		fail_msg("%s is not %" PRIx64, path, want);
}

static void same_addr(const json_t *json, const char *path, const struct smc_addr *want)
{
	uint8_t ip[16] = { 0 };
	char key[32];

	snprintf(key, sizeof(key), "%s.port", path);
	if (want->port)
		same_number(json, key, want->port);
	else
		assert_null(at(json, key));
	snprintf(key, sizeof(key), "%s.address", path);
	if (want->family == AF_UNSPEC) {
		assert_null(at(json, key));
		return;
	}
	assert_non_null(at(json, key));
	assert_int_equal(inet_pton(want->family, json_string_value(at(json, key)), ip), 1);
	assert_memory_equal(ip, want->ip, 16);
}

static void same_cursor(const json_t *json, const char *path, const struct smc_diag_cursor *want)
{
	char key[32];

	snprintf(key, sizeof(key), "%s.wrap", path);
	same_number(json, key, want->wrap);
	snprintf(key, sizeof(key), "%s.count", path);
	same_number(json, key, want->count);
}

TEST(json_common)
{
	static const struct sockets_row *const rows[] = { &smcr, &smcd, &old_smcd, &fallback };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct smc_sock *sock = &rows[i]->sock;
		json_t *json = back(rows[i]);

		same_string(json, "state", smc_state_name(sock->state));
		same_string(json, "mode", smc_mode_name(smc_sock_mode(sock)));
		same_number(json, "uid", sock->uid);
		same_number(json, "inode", sock->inode);
		same_number(json, "family", sock->family);
		same_hex(json, "cookie", sock->cookie);
		same_addr(json, "local", &sock->local);
		same_addr(json, "peer", &sock->peer);
		if (sock->ifindex)
			same_number(json, "bound_ifindex", sock->ifindex);
		else
			assert_null(at(json, "bound_ifindex"));
		if (sock->has & SMC_SOCK_HAS_SHUTDOWN) {
			assert_int_equal(json_is_true(at(json, "shutdown.read")),
					 sock->shutdown & 1);
			assert_int_equal(json_is_true(at(json, "shutdown.write")),
					 sock->shutdown >> 1);
		} else {
			assert_null(at(json, "shutdown"));
		}
		json_decref(json);
	}
}

TEST(json_conn)
{
	const struct smc_diag_conninfo *conn = &smcr.sock.conn;
	json_t *json = back(&smcr);

	same_number(json, "token", conn->token);
	same_number(json, "sndbuf", conn->sndbuf_size);
	same_number(json, "rcvbuf", conn->rmbe_size);
	same_number(json, "peerbuf", conn->peer_rmbe_size);
	same_cursor(json, "rx_prod", &conn->rx_prod);
	same_cursor(json, "rx_cons", &conn->rx_cons);
	same_cursor(json, "tx_prod", &conn->tx_prod);
	same_cursor(json, "tx_cons", &conn->tx_cons);
	same_cursor(json, "tx_prep", &conn->tx_prep);
	same_cursor(json, "tx_sent", &conn->tx_sent);
	same_cursor(json, "tx_fin", &conn->tx_fin);
	same_number(json, "rx_flags.producer", conn->rx_prod_flags);
	same_number(json, "rx_flags.state", conn->rx_conn_state_flags);
	same_number(json, "tx_flags.producer", conn->tx_prod_flags);
	same_number(json, "tx_flags.state", conn->tx_conn_state_flags);
	json_decref(json);
}

TEST(json_lgr)
{
	json_t *json = back(&smcr);

	same_string(json, "smcr.role", "server");
	same_string(json, "smcr.ib_device", smcr.sock.lgr.ibname);
	same_number(json, "smcr.ib_port", 2);
	same_number(json, "smcr.link_id", 0xfe);
	same_string(json, "smcr.gid", smcr.sock.lgr.gid);
	same_string(json, "smcr.peer_gid", smcr.sock.lgr.peer_gid);
	assert_null(at(json, "smcd"));
	json_decref(json);
}

TEST(json_dmb)
{
	const struct smc_abi_dmbinfo *dmb = &smcd.sock.dmb;
	json_t *json = back(&smcd);

	same_hex(json, "smcd.linkgroup", dmb->linkid);
	same_hex(json, "smcd.gid", dmb->my_gid);
	same_hex(json, "smcd.peer_gid", dmb->peer_gid);
	same_hex(json, "smcd.token", dmb->token);
	same_hex(json, "smcd.peer_token", dmb->peer_token);
	same_hex(json, "smcd.peer_gid_ext", dmb->peer_gid_ext);
	same_hex(json, "smcd.gid_ext", dmb->my_gid_ext);
	assert_null(at(json, "smcr"));
	json_decref(json);
	json = back(&old_smcd);
	same_hex(json, "smcd.gid", 5);
	assert_null(at(json, "smcd.gid_ext"));
	assert_null(at(json, "smcd.peer_gid_ext"));
	json_decref(json);
}

TEST(json_reasons)
{
	const struct smc_reason *reason = smc_reason_find(0x05000000);
	json_t *json = back(&fallback);

	same_number(json, "reason.code", 0x05000000);
	same_string(json, "reason.symbol", "PEERDECL");
	same_string(json, "reason.meaning", reason->meaning);
	same_string(json, "reason.check", reason->check);
	same_number(json, "peer_reason.code", 0x03030008);
	same_string(json, "peer_reason.symbol", "NOUEID");
	json_decref(json);

	json = back(&strange);
	same_number(json, "reason.code", 0xfffffff1);
	assert_null(at(json, "reason.symbol"));
	same_number(json, "peer_reason.code", 0x12345678);
	same_number(json, "state", 99);
	same_addr(json, "local", &strange.sock.local);
	json_decref(json);

	json = back(&smcr); /* reason 0, like every socket without fallback */
	assert_null(at(json, "reason"));
	assert_null(at(json, "peer_reason"));
	json_decref(json);
}

TEST(json_processes)
{
	json_t *json = back(&smcr);
	const json_t *list = at(json, "processes");

	assert_int_equal(json_array_size(list), 3);
	for (size_t i = 0; i < 2; i++) {
		const json_t *item = json_array_get(list, i);

		same_number(item, "pid", (uint64_t)holders[i].pid);
		same_number(item, "fd", (uint64_t)holders[i].fd);
		same_string(item, "command", holders[i].comm);
	}
	same_string(json_array_get(list, 2), "command", "m\\xc3\\xbc\\xff");
	json_decref(json);
	json = back(&smcd);
	assert_null(at(json, "processes"));
	json_decref(json);
}

/* Attributes that the kernel did not send have no key. */
TEST(json_absent)
{
	static const char *const always[] = { "state", "uid", "inode", "family", "cookie" };
	static const char *const listening[] = { "state",  "uid",   "inode",   "family",
						 "cookie", "local", "shutdown" };
	json_t *json = back(&fresh);

	assert_int_equal(json_object_size(json), ARRAY_SIZE(always));
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		assert_non_null(at(json, always[i]));
	json_decref(json);
	json = back(&listener);
	assert_int_equal(json_object_size(json), ARRAY_SIZE(listening));
	for (size_t i = 0; i < ARRAY_SIZE(listening); i++)
		assert_non_null(at(json, listening[i]));
	json_decref(json);
}

static struct out_view view;

/* One cell, as printed by -o. */
static char *cell(const struct sockets_row *sample, const char *column)
{
	static char copy[1024];
	const struct smcss_opts opts = { .columns = column };
	struct out_text text = { 0 };

	assert_int_equal(smcss_view(&view, &opts, NULL), 0);
	out_row(&text, &view, sample);
	assert_true(text.len && text.len < sizeof(copy));
	assert_int_equal(text.data[text.len - 1], '\n');
	memcpy(copy, text.data, text.len - 1);
	copy[text.len - 1] = '\0';
	out_free(&text);
	return copy;
}

struct cell {
	const struct sockets_row *sample;
	const char *column, *want;
};

static void check_cells(const struct cell *cases, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(cell(cases[i].sample, cases[i].column), cases[i].want))
			fail_msg("case %zu, %s: '%s', not '%s'", i, cases[i].column,
				 cell(cases[i].sample, cases[i].column), cases[i].want);
}

TEST(cells)
{
	static const struct cell cases[] = {
		{ &smcr, "state", "ACTIVE" },
		{ &strange, "state", "0x63?" },
		{ &smcr, "uid", "01000" },
		{ &smcd, "uid", "4294967294" },
		{ &smcr, "user", "red\\x1b[31m" },
		{ &smcd, "user", "4294967294" },
		{ &smcr, "inode", "0000077" },
		{ &smcd, "inode", "78187493530" },
		{ &smcr, "local", "10.8.0.1:6379" },
		{ &smcr, "peer", "255.255.255.254:65535" },
		{ &smcd, "local", "[2001:db8::1]:80" },
		{ &smcd, "peer", "[::ffff:10.0.0.9]:9" },
		{ &strange, "local", "n/a:443" },
		{ &strange, "peer", "n/a" },
		{ &listener, "local", "[::]:80" },
		{ &listener, "peer", "" },
		{ &fresh, "local", "" },
		{ &smcr, "intf", "000b" },
		{ &smcd, "intf", "0000" },
		{ &listener, "intf", "" },
		{ &smcr, "mode", "SMCR" },
		{ &smcd, "mode", "SMCD" },
		{ &fallback, "mode", "TCP 0x05000000/0x03030008" },
		{ &strange, "mode", "TCP 0xfffffff1/0x12345678" },
		{ &listener, "mode", "" },
		{ &fallback, "reason", "PEERDECL/NOUEID" },
		{ &strange, "reason", "0xfffffff1/0x12345678" },
		{ &smcr, "reason", "" },
		{ &smcr, "shutd", "<-W" },
		{ &smcd, "shutd", "R->" },
		{ &fallback, "shutd", "" },
		{ &listener, "shutd", "" },
	};

	check_cells(cases, ARRAY_SIZE(cases));
}

TEST(connection_cells)
{
	static const struct cell cases[] = {
		{ &smcr, "token", "deadbeef" },
		{ &smcr, "sndbuf", "00010000" },
		{ &smcr, "rcvbuf", "ffffffff" },
		{ &smcr, "peerbuf", "0000ffe0" },
		{ &smcr, "rxprod", "0001:00000064" },
		{ &smcr, "rxcons", "ffff:ffffffff" },
		{ &smcr, "txprod", "0003:0000012c" },
		{ &smcr, "txcons", "0004:00000190" },
		{ &smcr, "rxflags", "80:40" },
		{ &smcr, "txflags", "20:10" },
		{ &smcr, "txprep", "0005:000001f4" },
		{ &smcr, "txsent", "0006:00000258" },
		{ &smcr, "txfin", "0007:000002bc" },
		{ &smcd, "token", "" },
		{ &smcr, "role", "SERV" },
		{ &smcr, "ibdev", "mlx5_\\x1b[2J" },
		{ &smcr, "ibport", "02" },
		{ &smcr, "linkid", "fe" },
		{ &smcr, "gid", "fe80:0000:0000:0000:0000:0000:0000:0001" },
		{ &smcr, "peergid", "fe80:0000:0000:0000:0000:0000:0000:0002" },
		{ &smcd, "role", "" },
		{ &smcd, "dgid", "0000000000000001" },
		{ &smcd, "dtoken", "ffffffffffffffff" },
		{ &smcd, "dpeergid", "77e1f15f6e524647" },
		{ &smcd, "dpeertoken", "8000000000000000" },
		{ &smcd, "dlinkid", "00000100" },
		{ &smcr, "dgid", "" },
	};

	check_cells(cases, ARRAY_SIZE(cases));
}

TEST(process_cells)
{
	static const struct cell cases[] = {
		{ &smcr, "family", "smc" },
		{ &strange, "family", "inet" },
		{ &smcd, "family", "inet6" },
		{ &fresh, "family", "7" },
		{ &smcr, "cookie", "fedcba9876543210" },
		{ &smcr, "process",
		  "users:((\"redis-server\",pid=100,fd=5),(\"x\\x1b]0;evil\\x07\"\",pid=101,fd=3),"
		  "(\"m\\xc3\\xbc\\xff\",pid=102,fd=4))" },
		{ &smcd, "process", "" },
		{ &listener, "peer,state", "-                       LISTEN" },
	};

	check_cells(cases, ARRAY_SIZE(cases));
}

TEST(headers)
{
	static const struct {
		struct smcss_opts opts;
		const char *want;
	} cases[] = {
		{ { 0 }, "State UID Inode Local Address Peer Address Intf Mode" },
		{ { .has_names = true }, "State User Inode Local Address Peer Address Intf Mode" },
		{ { .is_debug = true },
		  "State UID Inode Local Address Peer Address Intf Mode Shutd Token Sndbuf Rcvbuf "
		  "Peerbuf rxprod-Cursor rxcons-Cursor rxFlags txprod-Cursor txcons-Cursor txFlags "
		  "txprep-Cursor txsent-Cursor txfin-Cursor" },
		{ { .only_smcr = true },
		  "State UID Inode Local Address Peer Address Intf Mode Role IB-device Port Linkid "
		  "GID Peer-GID" },
		{ { .only_smcd = true },
		  "State UID Inode Local Address Peer Address Intf Mode GID Token Peer-GID "
		  "Peer-Token Linkid" },
		{ { .has_processes = true },
		  "State UID Inode Local Address Peer Address Intf Mode Process" },
		{ { .columns = "mode,process" }, "Mode Process" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out_text text = { 0 };
		char got[512];
		size_t len = 0;

		assert_int_equal(smcss_view(&view, &cases[i].opts, NULL), 0);
		out_header(&text, &view);
		for (size_t j = 0; j < text.len; j++)
			if (text.data[j] != '\n' && (text.data[j] != ' ' || got[len - 1] != ' '))
				got[len++] = text.data[j];
		got[len] = '\0';
		assert_string_equal(got, cases[i].want);
		out_free(&text);
	}
}

static void check_rate(uint64_t bytes, bool is_least, const char *want)
{
	const struct top_row row = { .rate = { SMC_RATE_HAS_RATES, .in = { bytes, is_least } } };
	struct out_text text = { 0 };

	out_cell(&text, &top_columns[0], &row);
	assert_int_equal(text.len, strlen(want));
	assert_memory_equal(text.data, want, text.len);
	out_free(&text);
}

TEST(rates)
{
	check_rate(0, false, "0");
	check_rate(999, false, "999");
	check_rate(1000, false, "1.0k");
	check_rate(1049, false, "1.0k");
	check_rate(1050, false, "1.1k");
	check_rate(9949, false, "9.9k");
	check_rate(9950, false, "10k");
	check_rate(999499, false, "999k");
	check_rate(999500, false, "1.0M");
	check_rate(812345678, true, ">812M");
	check_rate(1100000000, false, "1.1G");
	check_rate(999500000000, false, "1.0T");
	check_rate(UINT64_MAX, true, ">18E");
}

TEST(measured)
{
	static const char columns[] = "rate_in,rate_out,unread,unsent,brake,holder";
	static const struct top_opts opts = { .columns = columns };
	struct top_row row = { .base = smcr };
	struct out_text text = { 0 };
	json_t *json;

	assert_int_equal(top_view(&view, &opts, NULL), 0);
	row.base.holders = holders + 1;
	row.base.n_holders = 1;
	row.rate = (struct smc_rate){
		.has = SMC_RATE_HAS_RATES | SMC_RATE_HAS_FILL,
		.in = { 1200, false },
		.out = { 5, true },
		.unread = { 65000, 65536 },
		.unsent = { 1, 131072 },
		.brake = SMC_BRAKE_PEER_READER,
	};
	out_row(&text, &view, &row);
	out_char(&text, '\0');
	assert_string_equal(text.data, " 1.2k    >5   99 %    0 % the peer's reader"
				       " x\\x1b]0;evil\\x07\"[101]\n");
	json = out_json(top_columns, &view, &row);
	assert_int_equal(json_integer_value(json_object_get(json, "rate_in")), 1200);
	assert_null(json_object_get(json, "rate_in_least"));
	assert_null(json_object_get(json, "rate_out"));
	assert_int_equal(json_integer_value(json_object_get(json, "rate_out_least")), 5);
	json_decref(json);
	/* Without a second sample the cell is empty. */
	out_reset(&text);
	row.rate.has = 0;
	row.base.n_holders = 0;
	out_row(&text, &view, &row);
	assert_int_equal(text.len, 1);
	json = out_json(top_columns, &view, &row);
	assert_int_equal(json_object_size(json), 0);
	json_decref(json);
	out_free(&text);
}

static void check_table(const struct out_col *table)
{
	const struct out_col *cols[64];
	size_t count = 0;

	for (const struct out_col *col = table; col; col = col->more)
		for (; col->name || col->key; col++)
			cols[count++] = col;
	assert_true(count > 40);
	for (size_t i = 0; i < count; i++) {
		const struct out_col *col = cols[i];

		/* In JSON it is part of the previous value. */
		assert_true(col->key || (col->text && i && col - 1 == cols[i - 1]));
		assert_true(!col->key || col->json || col->kind != OUT_KIND_ODD);
		assert_true(!col->name || col->text || col->kind != OUT_KIND_ODD);
		for (size_t j = 0; j < i; j++) {
			const struct out_col *other = cols[j];

			if (col->name && other->name)
				assert_string_not_equal(col->name, other->name);
			if (col->key && other->key && !col->group == !other->group &&
			    (!col->group || !strcmp(col->group, other->group)))
				assert_string_not_equal(col->key, other->key);
		}
	}
}

/* Every column by name, and every JSON key once. */
TEST(tables)
{
	check_table(smcss_columns);
	check_table(top_columns);
}

static void explained(const struct sockets_row *sample, const char *want)
{
	struct out_text text = { 0 };

	sockets_explain(&text, &sample->sock);
	assert_like(said(&text), want);
}

TEST(explanations)
{
	explained(&fallback, "    local: PEERDECL: *declined*\n"
			     "        check: *peer's own reason*\n"
			     "    peer: NOUEID: *no EID\n"
			     "        check: *EID on both *(smcd ueid add)\n");
	explained(&strange, "    local: 0xfffffff1: *Linux does not *\n"
			    "    peer: 0x12345678: *Linux does not *\n");
	explained(&smcr, "");
	explained(&listener, "");
}

/* -W: full-length IPv6 addresses do not move the columns. */
TEST(wide)
{
	const struct smcss_opts opts = { .is_wide = true };
	struct sockets_row sample = smcd;
	struct out_text text = { 0 };
	const char *mode;
	size_t header;

	memset(sample.sock.local.ip, 0xfd, 16);
	memset(sample.sock.peer.ip, 0xfd, 16);
	sample.sock.local.port = sample.sock.peer.port = 65535;
	sample.sock.inode = 1;
	sample.sock.uid = 1;
	assert_int_equal(smcss_view(&view, &opts, NULL), 0);
	out_header(&text, &view);
	header = text.len;
	out_row(&text, &view, &sample);
	out_mem(&text, "", 1);
	mode = strstr(text.data, "Mode");
	assert_non_null(mode);
	assert_int_equal(strncmp(text.data + header + (mode - text.data), "SMCD", 4), 0);
	out_free(&text);
}
