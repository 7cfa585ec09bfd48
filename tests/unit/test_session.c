// SPDX-License-Identifier: MIT
/* smc_chk/live: time limit for a client's place, and its cost. */
#include "test.h"

#include "../fuzz/fake_live.h"
#include "smc_chk/live/proto.h"
#include "smc_chk/live/server.h"

#define SECOND 1000000000ULL

static uint8_t out[1024], in[65536];

/* A client that sends these bytes in chunks, then stays, or leaves. */
static void serve(const void *bytes, size_t len, size_t chunk, uint64_t gap_ns, bool is_open)
{
	fake = (struct fake_live){ .in = bytes,
				   .in_len = len,
				   .chunk = chunk,
				   .gap_ns = gap_ns,
				   .is_open = is_open,
				   .out = out,
				   .out_size = sizeof(out),
				   .is_tcp = true };
	session_serve(-1);
}

static size_t put_request(uint8_t *to, uint8_t command, uint64_t length)
{
	const struct proto_request request = { command, length };

	proto_put_request(to, &request);
	return PROTO_SIZE;
}

TEST(says_nothing)
{
	serve(NULL, 0, 1, 0, true);
	assert_int_equal(fake.now, 10 * SECOND);
	assert_int_equal(fake.out_len, PROTO_SIZE);
}

/* A byte of a request every five seconds: it is not complete in time, and is not echoed. */
TEST(drips_its_request)
{
	size_t len = put_request(in, PROTO_WHO, 0);

	serve(in, len, 1, 5 * SECOND, true);
	assert_int_equal(fake.now, 10 * SECOND);
	assert_int_equal(fake.out_len, PROTO_SIZE);
	serve(in, len, 1, SECOND / 2, true);
	assert_int_equal(fake.out_len, 2 * PROTO_SIZE);
	assert_int_equal(fake.now, 68 * SECOND);
}

/* Whatever is sent, the place is free after ten minutes. */
TEST(drips_for_ever)
{
	size_t len;

	memset(in, 'x', sizeof(in));
	serve(in, sizeof(in), 1, 9 * SECOND, true);
	assert_int_equal(fake.now, 600 * SECOND);
	assert_int_equal(fake.out_len, PROTO_SIZE + 600 / 9);
	len = put_request(in, PROTO_SINK, PROTO_MAX_LENGTH);
	serve(in, sizeof(in), len, 9 * SECOND, true);
	assert_int_equal(fake.now, 600 * SECOND);
	assert_int_equal(fake.out_len, PROTO_SIZE);
	for (len = 0; len < sizeof(in);)
		len += put_request(in + len, PROTO_WHO, 0);
	serve(in, sizeof(in), PROTO_SIZE, 9 * SECOND, true);
	assert_int_equal(fake.now, 600 * SECOND);
}

TEST(is_idle)
{
	size_t len = put_request(in, PROTO_WHO, 0);

	serve(in, len, PROTO_SIZE, 0, true);
	assert_int_equal(fake.now, 60 * SECOND);
}

/* The cost is a dump of all SMC sockets: not for each request. */
TEST(asks_once)
{
	const struct smc_sock sock = { .has = 0 };
	size_t len = 0;

	for (int i = 0; i < 1000; i++)
		len += put_request(in + len, PROTO_WHO, 0);
	serve(in, len, sizeof(in), 0, false);
	assert_int_equal(fake.out_len, 1001 * PROTO_SIZE);
	assert_int_equal(fake.dumps, 1);
	serve(in, PROTO_SIZE, sizeof(in), 0, false);
	assert_int_equal(fake.dumps, 1);
	assert_int_equal(out[PROTO_SIZE + 5], SMC_MODE_TCP);
	fake = (struct fake_live){ .in = in, .in_len = len, .chunk = 99, .sock = &sock };
	session_serve(-1);
	assert_int_equal(fake.dumps, 1);
}

TEST(refuses)
{
	memset(in, 'x', sizeof(in));
	fake = (struct fake_live){ .in = in,
				   .in_len = sizeof(in),
				   .gap_ns = SECOND / 10,
				   .is_open = true,
				   .out = out,
				   .out_size = sizeof(out) };
	session_refuse(-1);
	assert_int_equal(fake.out_len, PROTO_SIZE);
	assert_true(proto_is_busy(out));
	assert_true(fake.now <= SECOND);
}
