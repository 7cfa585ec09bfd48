// SPDX-License-Identifier: MIT
/* lib/smc/llc: messages of version 2 from Linux 6.12 on x86, and constructed ones of version 1. */
#include "test.h"

#include "smc_dump/llc.h"

#define MAC_GID "525400990002 00000000000000000000ffff0a630002"
#define CONFIRM_LINK "212c0003" MAC_GID "000011 01 00000101 02ff 0000000000000000"
#define CONFIRM_LINK_ANSWER "212c0083" MAC_GID "000011 01 00000101 02ff 0000000000000000"
#define ADD_LINK(length)                                                                           \
	length "00 525400990002 0000 00000000000000000000ffff0a630002 000012 02 03 865af9"         \
	       "0000000000000000 8000 00000000000000000000ffff0a630002 0000000000000000"           \
	       "0000 0000000000000000 0000000000000000"
#define ADD_LINK_REFUSED                                                                           \
	"022c01c0 525400990002 0000 00000000000000000000ffff0a630002 000012 02 03 865af9"          \
	"0000000000000000"
#define DELETE_LINK(flags) "042c00" flags "02 00010000" ZEROS "000000"
#define ZEROS "0000000000000000 0000000000000000 0000000000000000 0000000000000000"
#define SOME "0000000000000000 0000000000000000 0000000000000000"
#define DELETE_RKEY "092c0000 02 00 0000 00000329 00000330" SOME "00000000"
#define CONFIRM_RKEY "062c00a0 00 00000329 0000000012340000" SOME "000000"
#define CDC                                                                                        \
	"fe2c0007 00000001 0000000100000064 0000000000000032 0820 0000000000000000"                \
	"0000000000000000 0000"

static struct smc_llc decode(const char *text)
{
	struct smc_llc llc;
	uint8_t bytes[128];
	size_t len = hex(bytes, sizeof(bytes), text);

	assert_int_equal(smc_llc_decode(&llc, bytes, len, len), 0);
	assert_int_equal(llc.len, len);
	return llc;
}

TEST(links)
{
	static const uint8_t mac[] = { 0x52, 0x54, 0, 0x99, 0, 2 };
	struct smc_llc llc = decode(CONFIRM_LINK);

	assert_string_equal(smc_llc_type_name(llc.type), "confirm link");
	assert_int_equal(llc.version, 2);
	assert_false(llc.is_response);
	assert_memory_equal(llc.mac, mac, 6);
	assert_int_equal(llc.gid[15], 2);
	assert_int_equal(llc.qp, 0x11);
	assert_int_equal(llc.link, 1);
	assert_int_equal(llc.uid, 0x101);
	assert_int_equal(llc.max_links, 2);
	assert_true(decode(CONFIRM_LINK_ANSWER).is_response);
	llc = decode(DELETE_LINK("60"));
	assert_true(llc.is_all && llc.is_orderly);
	assert_string_equal(smc_llc_delete_text(llc.reason), "the path is lost");
	assert_false(llc.has & SMC_LLC_HAS_LINK);
	llc = decode(DELETE_LINK("00"));
	assert_false(llc.is_all || llc.is_orderly);
	assert_int_equal(llc.link, 2);
	assert_null(smc_llc_delete_text(0));
}

/* Length in either byte order. */
TEST(adds)
{
	static const char *const both[] = { ADD_LINK("225800"), ADD_LINK("220058") };

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		struct smc_llc llc = decode(both[i]);

		assert_int_equal(llc.type, SMC_LLC_ADD_LINK);
		assert_int_equal(llc.qp, 0x12);
		assert_int_equal(llc.psn, 0x865af9);
		assert_int_equal(llc.mtu_code, 3);
		assert_true(llc.has & SMC_LLC_HAS_TARGET);
		assert_int_equal(llc.target[12], 10);
		assert_false(llc.is_rejected);
	}
	assert_true(decode(ADD_LINK_REFUSED).is_rejected);
	assert_string_equal(smc_llc_reject_text(decode(ADD_LINK_REFUSED).reject), "no other path");
	assert_null(smc_llc_reject_text(9));
}

TEST(keys)
{
	struct smc_llc llc = decode(DELETE_RKEY);

	assert_int_equal(llc.n_keys, 2);
	assert_int_equal(llc.keys[1], 0x330);
	llc = decode(CONFIRM_RKEY);
	assert_true(llc.is_response && llc.is_rejected);
	assert_int_equal(llc.n_keys, 1);
	assert_int_equal(llc.keys[0], 0x329);
}

TEST(cursors)
{
	struct smc_llc llc = decode(CDC);

	assert_string_equal(smc_llc_type_name(llc.type), "cdc");
	assert_int_equal(llc.sequence, 7);
	assert_int_equal(llc.token, 1);
	assert_int_equal(llc.produced.wrap, 1);
	assert_int_equal(llc.produced.count, 0x64);
	assert_int_equal(llc.consumed.count, 0x32);
	assert_true(llc.is_failover);
	assert_int_equal(llc.conn_flags, SMC_LLC_ABORTED);
}

TEST(others)
{
	uint8_t bytes[128];
	struct smc_llc llc;
	size_t len = hex(bytes, sizeof(bytes), CDC);

	assert_int_equal(smc_llc_decode(&llc, bytes, len - 1, len), -EBADMSG);
	assert_int_equal(smc_llc_decode(&llc, bytes, len, len + 1), -EBADMSG);
	bytes[1] = 43;
	assert_int_equal(smc_llc_decode(&llc, bytes, len, len), -EBADMSG);
	bytes[1] = 44;
	bytes[0] = 10;
	assert_int_equal(smc_llc_decode(&llc, bytes, len, len), -EBADMSG);
	len = hex(bytes, sizeof(bytes), ADD_LINK("225800"));
	/* Truncated by the capture: decode the captured part. */
	assert_int_equal(smc_llc_decode(&llc, bytes, 50, len), 0);
	assert_false(llc.has & SMC_LLC_HAS_TARGET);
	assert_int_equal(smc_llc_decode(&llc, bytes, len, len - 1), -EBADMSG);
	assert_null(smc_llc_type_name(0));
	assert_null(smc_llc_type_name(0xff));
}
