// SPDX-License-Identifier: MIT
/* lib/smc/attr: messages recorded on a machine of the other byte order. */
#include "genl_message.h"

#include <endian.h>

#include "smc/attr.h"

/* Everything in the other byte order; attributes after each header are the same on all machines. */
static struct message other(uint32_t len, uint16_t type)
{
	struct message m = { .nlh = { __builtin_bswap32(len), __builtin_bswap16(type),
				      __builtin_bswap16(NLM_F_MULTI), __builtin_bswap32(7),
				      __builtin_bswap32(8) } };

	return m;
}

static struct nlattr *put(struct message *m, size_t at, uint16_t len, uint16_t type)
{
	struct nlattr *attr = (struct nlattr *)(m->bytes + at);

	*attr = (struct nlattr){ __builtin_bswap16(len), __builtin_bswap16(type) };
	return attr;
}

TEST(headers)
{
	struct message m = other(44, 0x1234);
	const struct nlattr *nest = put(&m, 20, 20, NLA_F_NESTED | 3);
	const struct nlattr *inner = put(&m, 24, 8, 1), *last = put(&m, 32, 5, 2);
	const struct nlattr *after = put(&m, 40, 4, 9);
	uint32_t number = 0;

	memcpy(m.bytes + 28, "\0\1\2\3", 4);
	m.bytes[36] = 'x';
	smc_order_headers(m.bytes, 44, 4);
	assert_int_equal(m.nlh.nlmsg_len, 44);
	assert_int_equal(m.nlh.nlmsg_type, 0x1234);
	assert_int_equal(m.nlh.nlmsg_flags, NLM_F_MULTI | SMC_ORDER_MESSAGE);
	assert_int_equal(m.nlh.nlmsg_seq, 7);
	assert_int_equal(m.nlh.nlmsg_pid, 8);
	assert_int_equal(nest->nla_len, 20);
	assert_int_equal(nest->nla_type, NLA_F_NESTED | SMC_ORDER_ATTR | 3);
	assert_int_equal(inner->nla_len, 8);
	assert_int_equal(inner->nla_type, SMC_ORDER_ATTR | 1);
	assert_memory_equal(m.bytes + 28, "\0\1\2\3", 4);
	assert_true(smc_attr_number(inner, &number));
	assert_int_equal(number, __BYTE_ORDER == __BIG_ENDIAN ? 0x03020100 : 0x00010203);
	assert_int_equal(last->nla_len, 5);
	assert_int_equal(m.bytes[36], 'x');
	assert_int_equal(after->nla_type, SMC_ORDER_ATTR | 9);
}

/* Numbers shorter or longer than their members. */
TEST(lengths)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const bool is_big = __BYTE_ORDER == __BIG_ENDIAN;
	struct message m = other(0, 0);
	struct nlattr *attr = put(&m, 20, 0, 0);
	uint64_t eight = 0;
	uint32_t four = 0;
	uint16_t two = 0;

	memcpy(m.bytes + 24, bytes, sizeof(bytes));
	attr->nla_type = SMC_ORDER_ATTR;
	attr->nla_len = NLA_HDRLEN + 8;
	assert_true(smc_attr_number(attr, &eight));
	assert_true(eight == (is_big ? 0x0807060504030201 : 0x0102030405060708));
	assert_true(smc_attr_number(attr, &two));
	assert_int_equal(two, is_big ? 0x0201 : 0x0102);
	attr->nla_len = NLA_HDRLEN + 4;
	assert_true(smc_attr_number(attr, &eight));
	assert_true(eight == (is_big ? 0x04030201 : 0x01020304));
	attr->nla_len = NLA_HDRLEN + 2;
	assert_true(smc_attr_number(attr, &four));
	assert_int_equal(four, is_big ? 0x0201 : 0x0102);
	assert_false(smc_attr_number(attr, &eight));
}

/* Nothing beyond the lengths is touched; malformed data ends the conversion. */
TEST(lies)
{
	static const struct {
		uint32_t message;
		uint16_t attr;
		bool is_marked, has_attr;
	} rows[] = {
		{ 28, 8, true, true },
		{ 28, 9, true, false },
		{ 28, 3, true, false },
		{ 28, 0, true, false },
		{ 24, 4, true, true },
		{ 23, 4, true, false },
		{ 19, 8, false, false },
		{ 29, 8, false, false },
		{ 0, 8, false, false },
		{ UINT32_MAX, 8, false, false },
		{ UINT32_MAX - 2, 8, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct message m = other(rows[i].message, 1);
		const struct nlattr *attr = put(&m, 20, rows[i].attr, 2);

		memset(m.bytes + 28, 0x5a, 64);
		smc_order_headers(m.bytes, 28, 4);
		if (!!(m.nlh.nlmsg_flags & SMC_ORDER_MESSAGE) != rows[i].is_marked ||
		    (attr->nla_type == (SMC_ORDER_ATTR | 2)) != rows[i].has_attr)
			fail_msg("row %zu: %x, %x", i, m.nlh.nlmsg_flags, attr->nla_type);
		for (size_t at = 28; at < 92; at++)
			assert_int_equal(m.bytes[at], 0x5a);
	}
}

/* A structure truncated within its numbers, and one with more bytes. */
TEST(structures)
{
	static const struct smc_order_run runs[] = { { 2, 1 }, { 4, 2 }, { 8, 4 }, { 0 } };
	static const char whole[] = "ABDCFEJIHGNMLKOP";
	/* For each length, bytes in the other order; the first number may be incomplete. */
	static const size_t turned[] = { 2, 2, 2, 2, 4, 4, 6, 6, 6, 6, 10, 10, 10, 10, 16, 16, 16 };

	for (size_t len = 0; len <= 16; len++) {
		char data[] = "ABCDEFGHIJKLMNOP", want[] = "ABCDEFGHIJKLMNOP";

		memcpy(want, whole, turned[len]);
		smc_order_turn(data, len, runs);
		assert_string_equal(data, want);
	}
}
