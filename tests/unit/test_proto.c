// SPDX-License-Identifier: MIT
/* smc_chk/live/proto: messages of the live test. */
#include "test.h"

#include "smc_chk/live/proto.h"

TEST(greeting)
{
	uint8_t out[PROTO_SIZE];

	proto_put_greeting(out, false);
	assert_memory_equal(out, "SMC_CHK\n\001\0\0\0\0\0\0\0", PROTO_SIZE);
	assert_false(proto_is_busy(out));
	for (size_t len = 0; len <= PROTO_SIZE; len++)
		assert_true(proto_is_greeting(out, len));
	out[12] = 1; /* reserved */
	assert_true(proto_is_greeting(out, PROTO_SIZE));
	out[8] = 2; /* version */
	assert_true(proto_is_greeting(out, 8));
	assert_false(proto_is_greeting(out, PROTO_SIZE));
	assert_false(proto_is_greeting((const uint8_t *)"SSH-2.0-OpenSSH_9", 2));
}

/* Clients of earlier versions treat "busy" as an ordinary greeting. */
TEST(busy_greeting)
{
	uint8_t out[PROTO_SIZE];

	proto_put_greeting(out, true);
	assert_memory_equal(out, "SMC_CHK\n\001\001\0\0\0\0\0\0", PROTO_SIZE);
	assert_true(proto_is_greeting(out, PROTO_SIZE) && proto_is_busy(out));
	out[9] = 2; /* a future state */
	assert_true(proto_is_greeting(out, PROTO_SIZE) && !proto_is_busy(out));
	out[9] = 1;
	out[8] = 2; /* version */
	assert_false(proto_is_busy(out));
}

TEST(request)
{
	const struct proto_request echo = { PROTO_ECHO, 0x123456 };
	struct proto_request got;
	uint8_t out[PROTO_SIZE], wire[PROTO_SIZE];

	proto_put_request(out, &echo);
	hex(wire, sizeof(wire), "534d433f 01010000 00000000 00123456");
	assert_memory_equal(out, wire, PROTO_SIZE);
	assert_true(proto_is_request(out, 1) && proto_is_request(out, PROTO_SIZE));
	assert_false(proto_is_request((const uint8_t *)"SMCR", 4));
	assert_true(proto_get_request(&got, out));
	assert_int_equal(got.command, PROTO_ECHO);
	assert_int_equal(got.length, 0x123456);
}

/* A valid request with byte @at set to @value. */
static bool is_taken(uint8_t command, uint64_t length, size_t at, uint8_t value)
{
	const struct proto_request right = { command, length };
	struct proto_request got;
	uint8_t out[PROTO_SIZE];

	proto_put_request(out, &right);
	out[at] = value;
	return proto_get_request(&got, out);
}

TEST(wrong_request)
{
	assert_true(is_taken(PROTO_SINK, PROTO_MAX_LENGTH, 6, 1)); /* reserved */
	assert_true(is_taken(PROTO_WHO, 0, 4, 1));
	assert_false(is_taken(PROTO_SINK, PROTO_MAX_LENGTH, 15, 1));
	assert_false(is_taken(PROTO_ECHO, 0, 8, 0x80));
	assert_false(is_taken(PROTO_WHO, 0, 15, 1));
	assert_false(is_taken(PROTO_ECHO, 1, 0, 'T'));
	assert_false(is_taken(PROTO_ECHO, 1, 4, 2));
	assert_false(is_taken(0, 0, 4, 1));
	assert_false(is_taken(PROTO_WHO + 1, 0, 4, 1));
}

TEST(who_message)
{
	const struct proto_who tcp = { SMC_MODE_TCP, true, 0x05000000, 0x03030000 };
	const struct proto_who smcd = { SMC_MODE_SMCD, false, 1, 2 };
	uint8_t out[PROTO_SIZE], wire[PROTO_SIZE];
	struct proto_who got;

	proto_put_who(out, &tcp);
	hex(wire, sizeof(wire), "534d4321 01030100 05000000 03030000");
	assert_memory_equal(out, wire, PROTO_SIZE);
	assert_true(proto_get_who(&got, out));
	assert_int_equal(got.mode, SMC_MODE_TCP);
	assert_true(got.has_reason);
	assert_int_equal(got.reason, 0x05000000);
	assert_int_equal(got.peer_diagnosis, 0x03030000);
	proto_put_who(out, &smcd);
	assert_true(proto_get_who(&got, out));
	assert_int_equal(got.mode, SMC_MODE_SMCD);
	assert_false(got.has_reason || got.reason || got.peer_diagnosis);
	for (size_t at = 0; at < 6; at++) {
		proto_put_who(out, &smcd);
		out[at] ^= 0x40;
		assert_false(proto_get_who(&got, out));
	}
}

TEST(fill)
{
	uint8_t a[1003], b[1003], end = 0x5a;

	proto_fill(a, sizeof(a), 1);
	proto_fill(b, sizeof(b), 1);
	assert_memory_equal(a, b, sizeof(a));
	proto_fill(b, sizeof(b), 2);
	assert_memory_not_equal(a, b, sizeof(a));
	assert_memory_not_equal(a, a + 8, 16);
	proto_fill(&end, 0, 1);
	assert_int_equal(end, 0x5a);
}
