// SPDX-License-Identifier: MIT
/* smcss/summary: sums as text and as JSON, compared with the counted sockets. */
#include "said.h"

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

TEST(as_json)
{
	struct summary *summary = filled();

	assert_string_equal(
		json_said(summary_json(summary, NULL)),
		"{'schema':'smc-tools/smcss-summary/1','connections':{'smcr':3,'smcd':3,'tcp':3},"
		"'not_connected':2,'listening':1,'processes':["
		"{'smcr':3,'smcd':2,'tcp':0,'process':'redis[100]'},"
		"{'smcr':0,'smcd':1,'tcp':1,'process':'e\\\\x1b[31m[7]'},"
		"{'smcr':0,'smcd':0,'tcp':2,'process':'n/a'}],'peers':["
		"{'smcr':3,'smcd':2,'tcp':0,'peer':'10.0.0.1'},"
		"{'smcr':0,'smcd':0,'tcp':2,'peer':'10.0.0.3'},"
		"{'smcr':0,'smcd':1,'tcp':0,'peer':'10.0.0.2'},"
		"{'smcr':0,'smcd':0,'tcp':1,'peer':'n/a'}],'reasons':["
		"{'smcr':0,'smcd':0,'tcp':2,'reason':'PEERNOSMC'},"
		"{'smcr':0,'smcd':0,'tcp':1,'reason':'PEERDECL/NOSMCDEV'}]}");
	summary_free(summary);
}

TEST(empty)
{
	struct summary *summary = summary_new(true);
	struct out_text text = { 0 };

	summary_print(summary, NULL, &text, 0);
	assert_string_equal(said(&text),
			    "                                            SMCR    SMCD     TCP\n"
			    "Connections                                    0       0       0\n");
	assert_like(json_said(summary_json(summary, NULL)),
		    "*{'smcr':0,'smcd':0,'tcp':0},'not_connected':0,'listening':0,"
		    "'processes':[],'peers':[],'reasons':[]}");
	summary_free(summary);
	summary_free(NULL);
}

/* Fallback by TCP Fast Open, before connect() or listen(): the state stays INIT, without a peer. */
TEST(early_fallback)
{
	struct summary *summary = summary_new(true);
	struct sockets_row one = row(SMC_DIAG_MODE_FALLBACK_TCP, 0, &redis);

	one.sock.state = SMC_ABI_INIT;
	one.sock.peer.port = 0;
	summary_add(summary, &one);
	one.sock.peer.port = 80;
	summary_add(summary, &one);
	assert_like(json_said(summary_json(summary, NULL)),
		    "*{'smcr':0,'smcd':0,'tcp':1},'not_connected':1,'listening':0,'processes':["
		    "{'smcr':0,'smcd':0,'tcp':1,'process':'redis[100]'}],'peers':["
		    "{'smcr':0,'smcd':0,'tcp':1,'peer':'10.0.0.0'}],*");
	summary_free(summary);
}

/* IPv6 peers by host; names longer than their column; many groups. */
TEST(many)
{
	struct summary *summary = summary_new(true);
	struct sockets_row one = row(SMC_DIAG_MODE_SMCR, 1, NULL);
	const char *text;
	int n = 0;

	for (unsigned int i = 0; i < 3000; i++) {
		one.sock.peer.ip[1] = (uint8_t)(i % 1000 / 256);
		one.sock.peer.ip[2] = (uint8_t)(i % 1000);
		add(summary, one, 1);
	}
	one.sock.peer.family = AF_INET6;
	memset(one.sock.peer.ip, 0xfd, 16);
	add(summary, one, 5);
	text = json_said(summary_json(summary, NULL));
	assert_non_null(strstr(text, "'peers':[{'smcr':5,'smcd':0,'tcp':0,"
				     "'peer':'[fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd]'},"));
	while ((text = strstr(text, "'smcr':3,")))
		text++, n++;
	assert_int_equal(n, 1000);
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

/* The first reason is that of most connections. */
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

	assert_like(
		json_said(summary_json(summary, &spaces)),
		"*'netns_count':9,'netns':["
		"{'smcr':0,'smcd':41,'tcp':0,'netns':'shop/redis-0','listening':0},"
		"{'smcr':0,'smcd':0,'tcp':12,'netns':'shop/web-7d9f','listening':0,"
		"'first_reason':{'code':50397184,*}},*{*'netns':'cron.service','listening':3}]}");
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

/* Samples of the metrics, each once. */
static void check_metrics(struct summary *summary, const struct netns_list *list, const char *name,
			  long want)
{
	struct out_text text = { 0 };

	summary_metrics(summary, list, &text);
	assert_int_equal(sample(said(&text), name), want);
}

#define OPEN "smc_open_connections"

TEST(metrics)
{
	struct summary *summary = filled_netns(true), *own = filled();

	check_metrics(summary, &spaces, OPEN "{mode=\"smcd\",netns=\"shop/redis-0\"}", 41);
	check_metrics(summary, &spaces, OPEN "{mode=\"tcp\",netns=\"a\\\"b\\\\x5c\\\\x0a\"}", 1);
	check_metrics(summary, &spaces, "smc_listening_sockets{netns=\"cron.service\"}", 3);
	check_metrics(summary, &spaces, "smc_open_fallbacks{reason=\"PEERNOSMC\"}", 10);
	check_metrics(summary, &spaces, "smc_network_namespaces{what=\"all\"}", 9);
	check_metrics(summary, &spaces, "smc_network_namespaces{what=\"denied\"}", 2);
	check_metrics(own, NULL, OPEN "{mode=\"smcr\"}", 3);
	check_metrics(own, NULL, "smc_listening_sockets", 1);
	check_metrics(own, NULL, "smc_open_fallbacks{reason=\"PEERDECL/NOSMCDEV\"}", 1);
	summary_free(summary);
	summary_free(own);
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
	const char *json;

	for (int i = 0; i < 2; i++) {
		struct out_text text = { 0 };

		summary_metrics(summary, i ? &spaces : NULL, &text);
		out_mem(&text, "", 1);
		assert_null(strstr(text.data, "listening"));
		assert_non_null(strstr(text.data, OPEN));
		out_free(&text);
	}
	json = json_said(summary_json(summary, &spaces));
	assert_null(strstr(json, "listening"));
	assert_null(strstr(json, "not_connected"));
	assert_non_null(strstr(json, "'connections':{"));
	assert_non_null(strstr(json, "{'smcr':0,'smcd':41,'tcp':0,'netns':'shop/redis-0'}"));
	summary_free(summary);
}
