// SPDX-License-Identifier: MIT
/* smcss/summary: sums as text and as JSON, compared with the counted sockets. */
#include "said.h"

#include <jansson.h>

#include "smcss/smcss.h"

static const struct proc_fd redis = { .pid = 100, .comm = "redis" };
static const struct proc_fd evil = { .pid = 7, .comm = "e\x1b[31m" };

static struct sockets_row row(uint8_t mode, uint8_t host, const struct proc_fd *holder)
{
	return (struct sockets_row){
		.sock = {
			.state = SMC_ABI_ACTIVE,
			.mode = mode,
			.peer = { .family = AF_INET, .ip = { 10, 0, 0, host }, .port = 1 },
		},
		.holders = holder,
		.n_holders = holder ? 1 : 0,
	};
}

static void add(struct summary *summary, struct sockets_row one, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		one.sock.peer.port++; /* irrelevant for sums */
		summary_add(summary, &one);
	}
}

/* redis: 3 SMC-R, 2 SMC-D; the other: 1 TCP, 1 SMC-D; nobody: 2 TCP; 2 not connected */
static struct summary *filled(void)
{
	struct summary *summary = summary_new(true);
	struct sockets_row tcp = row(SMC_DIAG_MODE_FALLBACK_TCP, 3, NULL);
	struct sockets_row idle = row(0, 0, NULL);

	assert_non_null(summary);
	add(summary, row(SMC_DIAG_MODE_SMCR, 1, &redis), 3);
	add(summary, row(SMC_DIAG_MODE_SMCD, 1, &redis), 2);
	add(summary, row(SMC_DIAG_MODE_SMCD, 2, &evil), 1);
	tcp.sock.has = SMC_SOCK_HAS_FALLBACK;
	tcp.sock.fallback.reason = 0x03010000;
	add(summary, tcp, 2);
	tcp.holders = &evil;
	tcp.n_holders = 1;
	tcp.sock.fallback = (struct smc_diag_fallback){ 0x05000000, 0x03030000 };
	tcp.sock.peer.family = AF_UNSPEC;
	add(summary, tcp, 1);
	idle.sock.state = SMC_ABI_LISTEN;
	add(summary, idle, 1);
	idle.sock.state = SMC_ABI_INIT;
	add(summary, idle, 1);
	return summary;
}

TEST(as_text)
{
	static const char want[] =
		"                                            SMCR    SMCD     TCP\n"
		"Connections                                    3       3       3\n"
		"\n"
		"Process\n"
		"redis[100]                                     3       2       0\n"
		"e\\x1b[31m[7]                                   0       1       1\n"
		"n/a                                            0       0       2\n"
		"\n"
		"Peer\n"
		"10.0.0.1                                       3       2       0\n"
		"10.0.0.3                                       0       0       2\n"
		"10.0.0.2                                       0       1       0\n"
		"n/a                                            0       0       1\n"
		"\n"
		"Reason\n"
		"PEERNOSMC                                      0       0       2\n"
		"PEERDECL/NOSMCDEV                              0       0       1\n"
		"\n"
		"Not connected: 2, of these listening: 1\n";
	struct summary *summary = filled();
	struct out_text text = { 0 };

	summary_print(summary, NULL, &text, 0);
	assert_string_equal(said(&text), want);
	summary_free(summary);
}

static json_int_t number(const json_t *json, const char *key)
{
	assert_true(json_is_integer(json_object_get(json, key)));
	return json_integer_value(json_object_get(json, key));
}

static void counts(const json_t *json, json_int_t smcr, json_int_t smcd, json_int_t tcp)
{
	assert_int_equal(number(json, "smcr"), smcr);
	assert_int_equal(number(json, "smcd"), smcd);
	assert_int_equal(number(json, "tcp"), tcp);
}

/* The n-th item of a list, whose name must be @want. */
static const json_t *item(const json_t *json, const char *list, size_t n, const char *key,
			  const char *want)
{
	const json_t *one = json_array_get(json_object_get(json, list), n);

	assert_non_null(one);
	assert_string_equal(json_string_value(json_object_get(one, key)), want);
	return one;
}

TEST(as_json)
{
	struct summary *summary = filled();
	json_t *json = summary_json(summary, NULL), *again;
	char *text = json_dumps(json, 0);

	again = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_string_equal(json_string_value(json_object_get(again, "schema")),
			    "smc-tools/smcss-summary/1");
	counts(json_object_get(again, "connections"), 3, 3, 3);
	assert_int_equal(number(again, "not_connected"), 2);
	assert_int_equal(number(again, "listening"), 1);
	assert_int_equal(json_array_size(json_object_get(again, "processes")), 3);
	assert_int_equal(json_array_size(json_object_get(again, "peers")), 4);
	assert_int_equal(json_array_size(json_object_get(again, "reasons")), 2);
	counts(item(again, "processes", 0, "process", "redis[100]"), 3, 2, 0);
	counts(item(again, "processes", 1, "process", "e\\x1b[31m[7]"), 0, 1, 1);
	counts(item(again, "peers", 0, "peer", "10.0.0.1"), 3, 2, 0);
	counts(item(again, "peers", 3, "peer", "n/a"), 0, 0, 1);
	counts(item(again, "reasons", 1, "reason", "PEERDECL/NOSMCDEV"), 0, 0, 1);
	json_decref(json);
	json_decref(again);
	summary_free(summary);
}

TEST(empty)
{
	struct summary *summary = summary_new(true);
	struct out_text text = { 0 };
	json_t *json;

	summary_print(summary, NULL, &text, 0);
	out_mem(&text, "", 1);
	assert_string_equal(text.data,
			    "                                            SMCR    SMCD     TCP\n"
			    "Connections                                    0       0       0\n");
	json = summary_json(summary, NULL);
	counts(json_object_get(json, "connections"), 0, 0, 0);
	assert_int_equal(json_array_size(json_object_get(json, "processes")), 0);
	json_decref(json);
	out_free(&text);
	summary_free(summary);
	summary_free(NULL);
}

/* Fallback by TCP Fast Open, before connect() or listen(): the state stays INIT, without a peer. */
TEST(early_fallback)
{
	struct summary *summary = summary_new(true);
	struct sockets_row one = row(SMC_DIAG_MODE_FALLBACK_TCP, 0, &redis);
	json_t *json;

	one.sock.state = SMC_ABI_INIT;
	one.sock.peer.port = 0;
	summary_add(summary, &one);
	one.sock.peer.port = 80;
	summary_add(summary, &one);
	json = summary_json(summary, NULL);
	counts(json_object_get(json, "connections"), 0, 0, 1);
	assert_int_equal(number(json, "not_connected"), 1);
	assert_int_equal(json_array_size(json_object_get(json, "peers")), 1);
	counts(item(json, "processes", 0, "process", "redis[100]"), 0, 0, 1);
	json_decref(json);
	summary_free(summary);
}

/* IPv6 peers by host; names longer than their column; many groups. */
TEST(many)
{
	struct summary *summary = summary_new(true);
	struct sockets_row one = row(SMC_DIAG_MODE_SMCR, 1, NULL);
	json_t *json;

	for (unsigned int i = 0; i < 3000; i++) {
		one.sock.peer.ip[1] = (uint8_t)(i % 1000 / 256);
		one.sock.peer.ip[2] = (uint8_t)(i % 1000);
		add(summary, one, 1);
	}
	one.sock.peer.family = AF_INET6;
	memset(one.sock.peer.ip, 0xfd, 16);
	add(summary, one, 5);
	json = summary_json(summary, NULL);
	assert_int_equal(json_array_size(json_object_get(json, "peers")), 1001);
	counts(item(json, "peers", 0, "peer", "[fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd]"), 5, 0,
	       0);
	for (size_t i = 1; i <= 1000; i++)
		counts(json_array_get(json_object_get(json, "peers"), i), 3, 0, 0);
	json_decref(json);
	summary_free(summary);
}

static const struct netns shop = { .inode = 11, .name = "shop/redis-0" },
			  web = { .inode = 12, .name = "shop/web-7d9f" },
			  odd = { .inode = 13, .name = "a\"b\\\n" },
			  quiet = { .inode = 14, .name = "cron.service" };
static const struct netns_list spaces = { .count = 9, .denied = 2, .failed = 1 };

static void add_in(struct summary *summary, const struct netns *netns, struct sockets_row one,
		   unsigned int times)
{
	one.netns = netns;
	add(summary, one, times);
}

/* As in issue 15; the first reason is that of most connections. */
static struct summary *filled_netns(bool has_listening)
{
	struct summary *summary = summary_new(has_listening);
	struct sockets_row tcp = row(SMC_DIAG_MODE_FALLBACK_TCP, 3, NULL), idle = row(0, 0, NULL);

	assert_non_null(summary);
	add_in(summary, &shop, row(SMC_DIAG_MODE_SMCD, 1, &redis), 41);
	tcp.sock.has = SMC_SOCK_HAS_FALLBACK;
	tcp.sock.fallback.reason = 0x05000000;
	add_in(summary, &web, tcp, 2);
	tcp.sock.fallback.reason = 0x03010000;
	add_in(summary, &web, tcp, 10);
	tcp.sock.fallback.reason = 0xfefefefe;
	add_in(summary, &odd, tcp, 1);
	idle.sock.state = SMC_ABI_LISTEN;
	add_in(summary, &quiet, idle, 3);
	return summary;
}

TEST(netns_text)
{
	static const char want[] =
		"Container, pod or unit             SMCR    SMCD     TCP   First reason\n"
		"shop/redis-0                          0      41       0\n"
		"shop/web-7d9f                         0       0      12   0x03010000 PEERNOSMC: "
		"the peer did not offer SMC in its TCP handshake\n"
		"a\"b\\x5c\\x0a                           0       0       1   0xfefefefe\n"
		"cron.service                          0       0       0\n"
		"\n"
		"9 network namespaces, 4 with SMC sockets\n"
		"\n"
		"Not connected: 3, of these listening: 3\n";
	struct summary *summary = filled_netns(true);
	struct out_text text = { 0 };

	summary_print(summary, &spaces, &text, 0);
	assert_string_equal(said(&text), want);
	summary_free(summary);
}

/* On a terminal no line is wider, and nothing is cut. */
TEST(netns_on_terminal)
{
	struct summary *summary = filled_netns(true);
	struct out_text text = { 0 };

	summary_print(summary, &spaces, &text, 60);
	out_mem(&text, "", 1);
	for (const char *line = text.data; *line; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= 60);
	assert_non_null(strstr(text.data, "0x03010000 PEERNOSMC:"));
	assert_non_null(strstr(text.data, "TCP handshake\n"));
	out_free(&text);
	summary_free(summary);
}

TEST(one_netns)
{
	static const struct netns_list one = { .count = 1 };
	struct summary *summary = summary_new(false);
	struct out_text text = { 0 };

	add_in(summary, &shop, row(SMC_DIAG_MODE_SMCD, 1, &redis), 1);
	summary_print(summary, &one, &text, 0);
	out_mem(&text, "", 1);
	assert_non_null(strstr(text.data, "\n1 network namespace, 1 with SMC sockets\n"));
	out_free(&text);
	summary_free(summary);
}

TEST(netns_json)
{
	struct summary *summary = filled_netns(true);
	json_t *json = summary_json(summary, &spaces);
	const json_t *one = item(json, "netns", 1, "netns", "shop/web-7d9f");

	assert_int_equal(number(json, "netns_count"), 9);
	counts(one, 0, 0, 12);
	assert_int_equal(number(json_object_get(one, "first_reason"), "code"), 0x03010000);
	one = item(json, "netns", 3, "netns", "cron.service");
	assert_int_equal(number(one, "listening"), 3);
	assert_null(json_object_get(one, "first_reason"));
	json_decref(json);
	summary_free(summary);
}

/* A sample of the text. Return: its value, -1 unless it occurs once. */
static long sample(const char *text, const char *name)
{
	char line[128];
	const char *at;

	snprintf(line, sizeof(line), "\n%s ", name);
	at = strstr(text, line);
	return at && !strstr(at + 1, line) ? strtol(at + strlen(line), NULL, 10) : -1;
}

#define OPEN "smc_open_connections"

TEST(metrics)
{
	struct summary *summary = filled_netns(true);
	struct out_text text = { 0 };

	summary_metrics(summary, &spaces, &text);
	out_mem(&text, "", 1);
	assert_int_equal(sample(text.data, OPEN "{mode=\"smcd\",netns=\"shop/redis-0\"}"), 41);
	assert_int_equal(sample(text.data, OPEN "{mode=\"tcp\",netns=\"a\\\"b\\\\x5c\\\\x0a\"}"),
			 1);
	assert_int_equal(sample(text.data, "smc_listening_sockets{netns=\"cron.service\"}"), 3);
	assert_int_equal(sample(text.data, "smc_open_fallbacks{reason=\"PEERNOSMC\"}"), 10);
	assert_int_equal(sample(text.data, "smc_network_namespaces{what=\"all\"}"), 9);
	assert_int_equal(sample(text.data, "smc_network_namespaces{what=\"denied\"}"), 2);
	out_free(&text);
	summary_free(summary);
}

/* Thousands of containers, one of which is named like the row for the rest. */
TEST(many_metrics)
{
	struct summary *summary = summary_new(true);
	struct sockets_row one = row(SMC_DIAG_MODE_SMCR, 1, NULL);
	struct out_text text = { 0 };
	struct netns netns = { .name = "other" };
	size_t lines = 0;

	add_in(summary, &netns, one, 500);
	for (unsigned int i = 0; i < 2000; i++) {
		snprintf(netns.name, sizeof(netns.name), "pod-%u", i);
		add_in(summary, &netns, one, i < 100 ? 3 : 1);
	}
	summary_metrics(summary, &spaces, &text);
	out_mem(&text, "", 1);
	assert_int_equal(sample(text.data, OPEN "{mode=\"smcr\",netns=\"other\"}"), 2400);
	assert_int_equal(sample(text.data, OPEN "{mode=\"smcr\",netns=\"pod-99\"}"), 3);
	assert_int_equal(sample(text.data, OPEN "{mode=\"smcr\",netns=\"pod-100\"}"), -1);
	for (const char *at = text.data; (at = strstr(at, "netns=\"")); at++)
		lines++;
	assert_int_equal(lines, 4 * 101);
	out_free(&text);
	summary_free(summary);
}

/* Listeners were not counted. */
TEST(without_listening)
{
	struct summary *summary = filled_netns(false);
	json_t *json, *one;

	for (int i = 0; i < 2; i++) {
		struct out_text text = { 0 };

		summary_metrics(summary, i ? &spaces : NULL, &text);
		out_mem(&text, "", 1);
		assert_null(strstr(text.data, "listening"));
		assert_non_null(strstr(text.data, OPEN));
		out_free(&text);
	}
	json = summary_json(summary, &spaces);
	one = json_array_get(json_object_get(json, "netns"), 0);
	assert_non_null(json_object_get(json, "connections"));
	assert_null(json_object_get(json, "listening"));
	assert_null(json_object_get(json, "not_connected"));
	assert_non_null(json_object_get(one, "smcd"));
	assert_null(json_object_get(one, "listening"));
	json_decref(json);
	summary_free(summary);
}

TEST(own_metrics)
{
	struct summary *summary = filled();
	struct out_text text = { 0 };

	summary_metrics(summary, NULL, &text);
	out_mem(&text, "", 1);
	assert_int_equal(sample(text.data, OPEN "{mode=\"smcr\"}"), 3);
	assert_int_equal(sample(text.data, "smc_listening_sockets"), 1);
	assert_int_equal(sample(text.data, "smc_open_fallbacks{reason=\"PEERDECL/NOSMCDEV\"}"), 1);
	assert_null(strstr(text.data, "netns"));
	out_free(&text);
	summary_free(summary);
}
