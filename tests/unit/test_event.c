// SPDX-License-Identifier: MIT
/* smc_events: an event as text and as JSON, bytes of cursors. */
#include "said.h"

#include "smc_events/event.h"

#define SECOND 1000000000LL
#define AT (1795348867LL * SECOND + 412345678) /* 2026-11-22 12:01:07 UTC */

static const struct smc_addr local = { AF_INET, { 10, 0, 0, 1 }, 6379 };
static const struct smc_addr peer = { AF_INET, { 10, 0, 0, 7 }, 40112 };

static struct event event_of(enum event_kind kind, uint8_t mode)
{
	return (struct event){
		.kind = kind,
		.at = AT,
		.side = SMCLIFE_SERVER,
		.handshake = -1,
		.lived = -1,
		.sock = { .state = SMC_ABI_ACTIVE, .mode = mode, .local = local, .peer = peer },
		.process = { 811, "redis-server" },
	};
}

static void check_text(const struct event *event, const char *want)
{
	struct out_text text = { .len = 0 };

	event_text(&text, event);
	assert_string_equal(said(&text), want);
}

TEST(test_connected)
{
	struct event event = event_of(EVENT_CONNECTED, SMC_DIAG_MODE_SMCR);

	event.handshake = 1890000;
	check_text(&event, "12:01:07.412  connected  10.0.0.1:6379 < 10.0.0.7:40112  SMCR  "
			   "handshake 1.9 ms  redis-server[811]\n");
	event.side = SMCLIFE_CLIENT;
	event.handshake = -1;
	memcpy(event.process.comm, "\33[2J", 5);
	check_text(&event, "12:01:07.412  connected  10.0.0.1:6379 > 10.0.0.7:40112  SMCR  "
			   "\\x1b[2J[811]\n");
}

TEST(test_fallback)
{
	struct event event = event_of(EVENT_FALLBACK, SMC_DIAG_MODE_FALLBACK_TCP);

	event.sock.has = SMC_SOCK_HAS_FALLBACK;
	event.sock.fallback.reason = 0x03010000;
	check_text(&event, "12:01:07.412  fallback   10.0.0.1:6379 < 10.0.0.7:40112  "
			   "0x03010000 PEERNOSMC  redis-server[811]\n");
	event.process.pid = 0;
	event.sock.fallback.reason = 0x05000000;
	event.sock.fallback.peer_diagnosis = 0x03030000;
	check_text(&event, "12:01:07.412  fallback   10.0.0.1:6379 < 10.0.0.7:40112  "
			   "0x05000000/0x03030000 PEERDECL/NOSMCDEV\n");
}

TEST(test_closed)
{
	struct event event = event_of(EVENT_CLOSED, SMC_DIAG_MODE_SMCD);

	event.lived = 252 * SECOND;
	event.has_bytes = true;
	event.in.bytes = 1200000000;
	event.out.bytes = 31000000;
	check_text(&event, "12:01:07.412  closed     10.0.0.1:6379 < 10.0.0.7:40112  SMCD  "
			   "4 min 12 s  in 1.2 GB  out 31 MB  redis-server[811]\n");
	event.side = SMCLIFE_UNKNOWN;
	event.sock.mode = UINT8_MAX;
	event.lived = -1;
	event.in = (struct event_moved){ 999, true };
	check_text(&event, "12:01:07.412  closed     10.0.0.1:6379 - 10.0.0.7:40112  -  "
			   "in at least 999 B  out 31 MB  redis-server[811]\n");
}

TEST(test_links)
{
	struct event event = { .kind = EVENT_LINK_DOWN, .at = AT };

	event.link = (struct smclife_link){ 0x200, 31, 1, 1, 2, true, "mlx5_0" };
	check_text(&event, "12:01:07.412  link down  link group 00000200  mlx5_0/1: "
			   "31 connections moved to link 2\n");
	event.link.to = 0;
	event.link.connections = 1;
	check_text(&event, "12:01:07.412  link down  link group 00000200  mlx5_0/1: "
			   "1 connection lost: no other link\n");
	event.kind = EVENT_LINK_UP;
	check_text(&event, "12:01:07.412  link up    link group 00000200  mlx5_0/1: link 1\n");
	event = (struct event){ .kind = EVENT_LOST, .at = AT, .lost = 17 };
	check_text(&event, "12:01:07.412  lost       17 events: too fast to print\n");
	event.lost = 1;
	check_text(&event, "12:01:07.412  lost       1 event: too fast to print\n");
}

TEST(test_durations)
{
	static const struct {
		int64_t ns;
		const char *want;
	} durations[] = {
		{ 0, "0.0 ms" },
		{ 1949499, "1.9 ms" },
		{ 1950000, "2.0 ms" },
		{ 9949499, "9.9 ms" },
		{ 9950000, "10 ms" },
		{ 999499000, "999 ms" },
		{ 999500000, "1.0 s" },
		{ 59949 * (SECOND / 1000), "59.9 s" },
		{ 59960 * (SECOND / 1000), "1 min" },
		{ 252 * SECOND, "4 min 12 s" },
		{ 3600 * SECOND, "1 h" },
		{ 11040 * SECOND, "3 h 4 min" },
		{ 183600 * SECOND, "2 d 3 h" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(durations); i++) {
		struct out_text text = { .len = 0 };

		event_duration(&text, durations[i].ns);
		assert_string_equal(said(&text), durations[i].want);
	}
}

/* On a terminal: a reason is explained once, commands are on lines of their own. */
TEST(explained_once)
{
	struct event event = event_of(EVENT_FALLBACK, SMC_DIAG_MODE_FALLBACK_TCP);
	struct sockets_codes known = { .count = 0 };
	struct out_text text = { .len = 0 };
	const char *command;

	event.sock.has = SMC_SOCK_HAS_FALLBACK;
	event.sock.fallback.reason = 0x03010000;
	event_remedies_read(&text, &event, 80, &known);
	out_char(&text, '\0');
	assert_non_null(strstr(text.data, "    PEERNOSMC: the peer did not offer SMC"));
	command = strstr(text.data, "\n        -> smc_run PROGRAM\n");
	assert_non_null(command);
	out_reset(&text);
	event_remedies_read(&text, &event, 80, &known);
	assert_string_equal(said(&text), "    PEERNOSMC: as above\n");
	event.kind = EVENT_CLOSED;
	event_remedies_read(&text, &event, 80, &known);
	assert_int_equal(text.len, 0);
	free(known.codes);
	out_free(&text);
}

TEST(test_json)
{
	struct event event = event_of(EVENT_FALLBACK, SMC_DIAG_MODE_FALLBACK_TCP);

	event.sock.has = SMC_SOCK_HAS_FALLBACK;
	event.sock.fallback.reason = 0x03010000;
	assert_like(json_said(event_json(&event, false)),
		    "*'time':'2026-11-22T12:01:07.412345Z','event':'fallback','side':'server',"
		    "'local':{'address':'10.0.0.1','port':6379},"
		    "'peer':{'address':'10.0.0.7','port':40112},'mode':'TCP',"
		    "'reason':{'code':50397184,*},'process':{'pid':811,'command':'redis-server'}}");
	assert_like(json_said(event_json(&event, true)), "*'remedies':[{*");
	event = event_of(EVENT_CLOSED, SMC_DIAG_MODE_SMCR);
	event.has_bytes = true;
	event.lgr = 0x200;
	event.in = (struct event_moved){ 5, true };
	assert_like(json_said(event_json(&event, false)),
		    "*'link_group':'00000200','in_least':5,'out':0,*");
}

/* A cursor of 64 KiB goes round every 4 GiB. */
TEST(test_moved)
{
	const uint64_t lap = 65536ULL * 65536;
	struct smclife_moved moved = {
		.counted = 3 * lap + 70000, .wrap = 1, .count = 4464, .buffer = 65536
	};

	assert_true(follow_moved(&moved, true).bytes == 3 * lap + 70000);
	assert_false(follow_moved(&moved, true).is_least);
	/* The kernel counted some bytes twice, because the program peeked at them. */
	moved.counted += 5000;
	assert_true(follow_moved(&moved, true).bytes == 3 * lap + 70000);
	moved.counted = 69000;
	assert_true(follow_moved(&moved, true).bytes == 70000);
	assert_true(follow_moved(&moved, false).bytes == 70000);
	assert_true(follow_moved(&moved, false).is_least);
	moved.buffer = 0;
	assert_true(follow_moved(&moved, true).bytes == 69000);
}

FIXTURE(utc)
{
	return setenv("TZ", "UTC", 1);
}

static struct fixture fixture = { .first = utc };
