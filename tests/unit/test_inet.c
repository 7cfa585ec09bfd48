// SPDX-License-Identifier: MIT
/* lib/smc/inet: find the TCP socket inside an SMC socket. */
#include "test.h"

#include <linux/inet_diag.h>

#include "smc/inet.h"

/* A TCP socket as a line: family, state, addresses with ports, owner. */
struct tcp {
	int family;
	const char *src;
	uint16_t sport;
	const char *dst;
	uint16_t dport;
	uint32_t uid;
	bool is_listener;
};

static int add(struct smc_inet_table *table, const struct tcp *tcp)
{
	struct inet_diag_msg msg = {
		.idiag_family = (uint8_t)tcp->family,
		.idiag_state = tcp->is_listener ? 10 : 1,
		.idiag_uid = tcp->uid,
	};
	struct message m;

	msg.id.idiag_sport = htons(tcp->sport);
	msg.id.idiag_dport = htons(tcp->dport);
	set_words(msg.id.idiag_src, tcp->family, tcp->src);
	set_words(msg.id.idiag_dst, tcp->family, tcp->dst);
	message_start(&m, SOCK_DIAG_BY_FAMILY);
	message_put(&m, &msg, sizeof(msg));
	return smc_inet_add(&m.nlh, table);
}

static struct smc_addr address(int family, const char *ip, uint16_t port)
{
	struct smc_addr addr = { .family = (uint8_t)family, .port = port };

	if (ip)
		assert_int_equal(inet_pton(strchr(ip, ':') ? AF_INET6 : AF_INET, ip, addr.ip), 1);
	return addr;
}

/* Some TCP sockets of a machine. */
static const struct tcp tcps[] = {
	{ AF_INET, "10.0.0.1", 80, "10.0.0.9", 4000, 1000, false },
	/* One pair of ports, two local addresses. */
	{ AF_INET, "10.0.0.1", 81, "10.0.0.9", 4001, 1000, false },
	{ AF_INET, "10.0.0.2", 81, "10.0.0.9", 4001, 1000, false },
	/* The same ports and addresses, but two users. */
	{ AF_INET, "10.0.0.1", 82, "10.0.0.9", 4002, 1000, false },
	{ AF_INET, "10.0.0.2", 82, "10.0.0.9", 4002, 1001, false },
	/* Three sockets of the same ports, two of them of one user. */
	{ AF_INET, "10.0.0.1", 83, "10.0.0.9", 4003, 1000, false },
	{ AF_INET, "10.0.0.2", 83, "10.0.0.9", 4003, 1000, false },
	{ AF_INET, "10.0.0.3", 83, "10.0.0.9", 4003, 1001, false },
	/* Listeners: wildcards of each family, and addresses. */
	{ AF_INET, "0.0.0.0", 84, "0.0.0.0", 0, 0, true },
	{ AF_INET6, "::", 85, "::", 0, 0, true },
	{ AF_INET, "0.0.0.0", 86, "0.0.0.0", 0, 0, true },
	{ AF_INET6, "::", 86, "::", 0, 0, true },
	{ AF_INET, "10.0.0.5", 87, "0.0.0.0", 0, 0, true },
	/* A socket bound to a port only, beside a listener on it. */
	{ AF_INET, "10.0.0.6", 88, "0.0.0.0", 0, 0, false },
	{ AF_INET, "10.0.0.7", 88, "0.0.0.0", 0, 0, true },
	/* Addresses of the two families that have the same first word. */
	{ AF_INET6, "2001:db8::", 89, "2001:db9::", 4009, 0, false },
	{ AF_INET, "32.1.13.184", 90, "32.1.13.185", 4010, 0, false },
	{ AF_INET6, "2001:db8::", 91, "2001:db9::", 4011, 0, false },
	{ AF_INET, "32.1.13.184", 91, "32.1.13.185", 4011, 0, false },
	{ AF_INET6, "2001:db8::", 92, "2001:db9::", 4012, 5, false },
	{ AF_INET6, "2001:db8:1::", 92, "2001:db9::", 4012, 5, false },
	/* IPv6 connection beside an IPv4 one. */
	{ AF_INET, "10.0.0.1", 93, "10.0.0.9", 4013, 0, false },
	{ AF_INET6, "fd00::1", 93, "fd00::9", 4013, 0, false },
	{ AF_INET6, "::ffff:10.0.0.1", 94, "::ffff:10.0.0.9", 4014, 0, false },
};

/* An SMC socket, and the expected local address; NULL if it is ambiguous. */
struct question {
	const char *what;
	uint8_t family, state;
	const char *src, *dst; /* raw words; NULL: zero */
	uint16_t sport, dport;
	uint32_t uid;
	int want_family;
	const char *want;
};

static void check(struct smc_inet_table *table, const struct question *row)
{
	struct smc_sock sock = {
		.family = row->family,
		.state = row->state,
		.uid = row->uid,
		.local = address(AF_UNSPEC, row->src, row->sport),
		.peer = address(AF_UNSPEC, row->dst, row->dport),
	};
	const struct smc_sock before = sock;
	struct smc_addr want;

	if (smc_inet_resolve(table, &sock) != !!row->want)
		fail_msg("%s", row->what);
	if (!row->want) {
		assert_memory_equal(&sock, &before, sizeof(sock));
		return;
	}
	want = address(row->want_family, row->want, row->sport);
	if (sock.local.family != want.family || sock.local.port != want.port ||
	    memcmp(sock.local.ip, want.ip, 16))
		fail_msg("%s: another address", row->what);
	assert_int_equal(sock.peer.family, want.family);
	assert_int_equal(sock.peer.port, row->dport);
}

static void check_all(const struct question *rows, size_t n)
{
	struct smc_inet_table table = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(tcps); i++)
		assert_int_equal(add(&table, &tcps[i]), 0);
	for (size_t i = 0; i < n; i++)
		check(&table, &rows[i]);
	smc_inet_free(&table);
	assert_null(table.entries);
	assert_int_equal(table.count, 0);
}

TEST(connections)
{
	static const struct question rows[] = {
		{ "unique, IPPROTO_SMC", AF_INET, 1, NULL, NULL, 80, 4000, 1000, AF_INET,
		  "10.0.0.1" },
		{ "unique, accepted", AF_SMC, 1, NULL, NULL, 80, 4000, 1000, AF_INET, "10.0.0.1" },
		{ "unique, owner differs", AF_SMC, 1, NULL, NULL, 80, 4000, 0, AF_INET,
		  "10.0.0.1" },
		{ "wrong family", AF_INET6, 1, NULL, NULL, 80, 4000, 1000, 0, NULL },
		{ "ambiguous", AF_SMC, 1, NULL, NULL, 81, 4001, 1000, 0, NULL },
		{ "ambiguous, owner is neither", AF_SMC, 1, NULL, NULL, 82, 4002, 7, 0, NULL },
		{ "owner decides", AF_SMC, 1, NULL, NULL, 82, 4002, 1001, AF_INET, "10.0.0.2" },
		{ "owner decides, whichever comes first", AF_SMC, 1, NULL, NULL, 82, 4002, 1000,
		  AF_INET, "10.0.0.1" },
		{ "owner has two", AF_SMC, 1, NULL, NULL, 83, 4003, 1000, 0, NULL },
		{ "owner has one of three", AF_SMC, 1, NULL, NULL, 83, 4003, 1001, AF_INET,
		  "10.0.0.3" },
		{ "no such ports", AF_SMC, 1, NULL, NULL, 80, 4001, 1000, 0, NULL },
		{ "local port 0", AF_SMC, 1, NULL, NULL, 0, 4000, 1000, 0, NULL },
	};

	check_all(rows, ARRAY_SIZE(rows));
}

TEST(listeners)
{
	static const struct question rows[] = {
		{ "AF_SMC wildcard v4", AF_SMC, 10, NULL, NULL, 84, 0, 0, AF_INET, "0.0.0.0" },
		{ "AF_SMC wildcard v6", AF_SMC, 10, NULL, NULL, 85, 0, 0, AF_INET6, "::" },
		{ "AF_SMC wildcard, both there", AF_SMC, 10, NULL, NULL, 86, 0, 0, 0, NULL },
		{ "IPPROTO_SMC v4 wildcard", AF_INET, 10, NULL, NULL, 86, 0, 0, AF_INET,
		  "0.0.0.0" },
		{ "IPPROTO_SMC v6 wildcard", AF_INET6, 10, NULL, NULL, 86, 0, 0, AF_INET6, "::" },
		{ "AF_SMC zero is the wildcard", AF_SMC, 10, NULL, NULL, 87, 0, 0, 0, NULL },
		{ "IPPROTO_SMC zero is unknown", AF_INET, 10, NULL, NULL, 87, 0, 0, AF_INET,
		  "10.0.0.5" },
		{ "listener, not the connection", AF_INET, 10, NULL, NULL, 88, 0, 0, AF_INET,
		  "10.0.0.7" },
		{ "connection, not the listener", AF_INET, 2, NULL, NULL, 88, 0, 0, AF_INET,
		  "10.0.0.6" },
	};

	check_all(rows, ARRAY_SIZE(rows));
}

TEST(by_address)
{
	static const struct question rows[] = {
		{ "2001:db8::", AF_SMC, 1, "2001:db8::", "2001:db9::", 89, 4009, 0, AF_INET6,
		  "2001:db8::" },
		{ "32.1.13.184", AF_SMC, 1, "32.1.13.184", "32.1.13.185", 90, 4010, 0, AF_INET,
		  "32.1.13.184" },
		{ "either of these", AF_SMC, 1, "32.1.13.184", "32.1.13.185", 91, 4011, 0, 0,
		  NULL },
		{ "addresses decide", AF_SMC, 1, "2001:db8::", "2001:db9::", 92, 4012, 5, AF_INET6,
		  "2001:db8::" },
		{ "addresses contradict", AF_SMC, 1, "2001:db8:2::", "2001:db9::", 92, 4012, 5, 0,
		  NULL },
		{ "family decides, v4", AF_INET, 1, NULL, NULL, 93, 4013, 0, AF_INET, "10.0.0.1" },
		{ "family decides, v6", AF_INET6, 1, NULL, NULL, 93, 4013, 0, AF_INET6, "fd00::1" },
		{ "family open", AF_SMC, 1, NULL, NULL, 93, 4013, 0, 0, NULL },
		{ "v4-mapped", AF_INET6, 1, NULL, NULL, 94, 4014, 0, AF_INET6, "::ffff:10.0.0.1" },
	};

	check_all(rows, ARRAY_SIZE(rows));
}

/* Where addresses decide, all bytes of both ends count. */
TEST(whole_addresses)
{
	static const struct tcp tcp = {
		AF_INET6, "2001:db8::1", 95, "2001:db9::9", 4015, 0, false,
	};
	static const struct question rows[] = {
		{ "the same", AF_SMC, 1, "2001:db8::1", "2001:db9::9", 95, 4015, 0, AF_INET6,
		  "2001:db8::1" },
		{ "local: first byte", AF_SMC, 1, "2101:db8::1", "2001:db9::9", 95, 4015, 0, 0,
		  NULL },
		{ "local: last byte", AF_SMC, 1, "2001:db8::2", "2001:db9::9", 95, 4015, 0, 0,
		  NULL },
		{ "local: none", AF_SMC, 1, NULL, "2001:db9::9", 95, 4015, 0, 0, NULL },
		{ "peer: first byte", AF_SMC, 1, "2001:db8::1", "2101:db9::9", 95, 4015, 0, 0,
		  NULL },
		{ "peer: last byte", AF_SMC, 1, "2001:db8::1", "2001:db9::8", 95, 4015, 0, 0,
		  NULL },
		{ "peer: none", AF_SMC, 1, "2001:db8::1", NULL, 95, 4015, 0, 0, NULL },
	};
	struct smc_inet_table table = { 0 };

	assert_int_equal(add(&table, &tcp), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(&table, &rows[i]);
	smc_inet_free(&table);
}

TEST(empty)
{
	struct smc_sock sock = { .family = AF_SMC, .state = 1, .local.port = 80 };
	struct smc_inet_table table = { 0 };

	assert_false(smc_inet_resolve(&table, &sock));
	smc_inet_free(&table);
}

TEST(short_messages)
{
	const struct inet_diag_msg msg = { .idiag_family = AF_INET };
	struct smc_inet_table table = { 0 };
	struct message m;

	for (size_t len = 0; len < sizeof(msg); len += 7) {
		message_start(&m, SOCK_DIAG_BY_FAMILY);
		message_put(&m, &msg, len);
		assert_int_equal(smc_inet_add(&m.nlh, &table), -EBADMSG);
	}
	assert_int_equal(table.count, 0);
	smc_inet_free(&table);
}

/* Many sockets, added out of order, some of them after the first look-up. */
TEST(growth)
{
	struct smc_inet_table table = { 0 };
	struct smc_sock sock;

	for (unsigned int i = 0; i < 3000; i++) {
		const uint16_t port = (uint16_t)(1 + i * 7919 % 3000);
		const struct tcp tcp = { AF_INET, "10.0.0.1", port, "10.0.0.2", 9, 0, false };

		assert_int_equal(add(&table, &tcp), 0);
		sock = (struct smc_sock){
			.family = AF_INET, .state = 1, .local.port = port, .peer.port = 9
		};
		if (i % 500 == 255)
			assert_true(smc_inet_resolve(&table, &sock));
	}
	assert_int_equal(table.count, 3000);
	for (uint16_t port = 0; port < 3002; port++) {
		sock = (struct smc_sock){
			.family = AF_INET, .state = 1, .local.port = port, .peer.port = 9
		};
		assert_int_equal(smc_inet_resolve(&table, &sock), port >= 1 && port <= 3000);
	}
	smc_inet_free(&table);
}

TEST(request)
{
	struct inet_diag_req_v2 req = smc_inet_request(AF_INET6);

	assert_int_equal(req.sdiag_family, AF_INET6);
	assert_int_equal(req.sdiag_protocol, IPPROTO_TCP);
	assert_true(req.idiag_states == 0xffffffff);
	assert_int_equal(req.idiag_ext, 0);
}
