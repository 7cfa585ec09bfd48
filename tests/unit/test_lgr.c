// SPDX-License-Identifier: MIT
/* Link groups and links: attributes sent, missing, or malformed. */
#include "genl_message.h"

#include "smc/gen.h"

#define HOST32 "peerhost                        "
#define EID32 "MY-EID.1                        "

static void put_common(struct message *m, uint16_t type)
{
	size_t nest = genl_nest(m, type);

	genl_u8(m, 0, 2); /* the nest that starts at 0 */
	genl_u8(m, 1, 1);
	genl_u8(m, 2, 2);
	genl_str(m, 4, HOST32);
	genl_str(m, 3, EID32);
	genl_end(m, nest);
}

static struct smc_lgr lgr;

static struct message m;

/* As sent by kernel 7.2, in its order. */
TEST(smcr)
{
	size_t nest, v2;

	nest = genl_begin(&m, 2);
	genl_u32(&m, 1, 0x100);
	genl_u32(&m, 6, 1);
	genl_u8(&m, 2, 1);
	genl_u8(&m, 3, 3);
	genl_u8(&m, 11, 2);
	genl_u8(&m, 5, 0x64);
	genl_u64(&m, 9, 0x1122334455667788);
	genl_str(&m, 4, "ABCDEFGHIJKLMNOP");
	genl_u32(&m, 12, 65536);
	genl_u64(&m, 13, 0x100000001);
	put_common(&m, 7);
	v2 = genl_nest(&m, 8);
	genl_u8(&m, 1, 1);
	genl_u8(&m, 2, 255);
	genl_u8(&m, 3, 2);
	genl_end(&m, v2);
	genl_end(&m, nest);
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
	assert_int_equal(lgr.has, (1 << 18) - 1);
	assert_int_equal(lgr.id, 0x100);
	assert_int_equal(lgr.conns, 1);
	assert_int_equal(lgr.role, 1);
	assert_int_equal(lgr.type, 3);
	assert_int_equal(lgr.buf_type, 2);
	assert_int_equal(lgr.vlan, 0x64);
	assert_true(lgr.net_cookie == 0x1122334455667788);
	assert_string_equal(lgr.pnetid, "ABCDEFGHIJKLMNOP"); /* all 16 characters */
	assert_true(lgr.sndbuf == 65536 && lgr.rcvbuf == 0x100000001);
	assert_true(lgr.is_v2 && lgr.is_direct);
	assert_int_equal(lgr.version, 2);
	assert_int_equal(lgr.release, 1);
	assert_int_equal(lgr.os, 2);
	assert_string_equal(lgr.peer_host, "peerhost");
	assert_string_equal(lgr.eid, "MY-EID.1");
	assert_int_equal(lgr.max_conns, 255);
	assert_int_equal(lgr.max_links, 2);
}

TEST(smcd)
{
	for (int is_short = 0; is_short < 2; is_short++) {
		size_t nest;

		nest = genl_begin(&m, 4);
		genl_u32(&m, 1, 0x300);
		genl_u64(&m, 2, 1);
		genl_u64(&m, 10, 2);
		genl_u64(&m, 3, 3);
		genl_u64(&m, 11, 4);
		genl_u8(&m, 4, 7);
		genl_u32(&m, 5, 9);
		if (is_short)
			genl_u16(&m, 7, 0xffff);
		else
			genl_u32(&m, 7, 0xffff);
		genl_u32(&m, 12, 0);
		genl_u32(&m, 13, 65536);
		genl_str(&m, 6, "");
		put_common(&m, 9);
		genl_end(&m, nest);
		assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
		assert_true(lgr.gid == 1 && lgr.ext_gid == 2);
		assert_true(lgr.peer_gid == 3 && lgr.peer_ext_gid == 4);
		assert_int_equal(lgr.vlan, 7);
		assert_int_equal(lgr.conns, 9);
		assert_int_equal(lgr.chid, 0xffff);
		assert_true(lgr.has & SMC_LGR_HAS_CHID && lgr.has & SMC_LGR_HAS_PNETID);
		assert_true(lgr.sndbuf == 0 && lgr.rcvbuf == 65536);
		assert_string_equal(lgr.pnetid, "");
		assert_int_equal(lgr.version, 2);
		assert_false(lgr.has & SMC_LGR_HAS_ROLE);
	}
}

/* Missing attributes are absent, and nothing of the previous group remains. */
TEST(missing)
{
	size_t nest;

	memset(&lgr, 0xff, sizeof(lgr));
	nest = genl_begin(&m, 2);
	genl_noise(&m);
	genl_end(&m, nest);
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
	assert_int_equal(lgr.has, 0);
	assert_string_equal(lgr.pnetid, "");
	assert_string_equal(lgr.eid, "");
	genl_start(&m, 2);
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), -EBADMSG);
	message_start(&m, 0x1c);
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), -EBADMSG);
}

TEST(too_short)
{
	size_t nest;

	nest = genl_begin(&m, 2);
	genl_u8(&m, 1, 1);
	genl_u16(&m, 9, 1);
	genl_u16(&m, 12, 1);
	genl_u16(&m, 6, 3); /* half of a u32 is valid, because of the CHID */
	genl_end(&m, nest);
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
	assert_int_equal(lgr.has, SMC_LGR_HAS_CONNS);
}

TEST(long_strings)
{
	char name[200];
	size_t nest;

	memset(name, 'x', sizeof(name));
	nest = genl_begin(&m, 2);
	message_attr(&m, 4, name, sizeof(name)); /* not terminated */
	genl_end(&m, nest);
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
	assert_int_equal(strlen(lgr.pnetid), 16);
}

/* Attributes without payload count as missing, also in the nests of version 2 and for SMC-D. */
TEST(empty_attributes)
{
	static const struct {
		uint16_t number, nests[2];
	} rows[] = {
		{ 2, { 7, 8 } },
		{ 4, { 9, 9 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t nest = genl_begin(&m, rows[i].number);

		for (size_t j = 0; j < ARRAY_SIZE(rows[i].nests); j++) {
			size_t v2 = genl_nest(&m, rows[i].nests[j]);

			genl_noise(&m);
			genl_end(&m, v2);
		}
		genl_noise(&m);
		genl_end(&m, nest);
		assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
		assert_int_equal(lgr.has, 0);
		assert_true(lgr.is_v2);
	}
}

/* Each attribute sets only its own bit. */
TEST(single_attributes)
{
	static const struct {
		uint16_t number, nest, type;
		uint32_t has;
	} rows[] = {
		{ 2, 0, 1, SMC_LGR_HAS_ID },
		{ 2, 0, 2, SMC_LGR_HAS_ROLE },
		{ 2, 0, 3, SMC_LGR_HAS_TYPE },
		{ 2, 0, 4, SMC_LGR_HAS_PNETID },
		{ 2, 0, 5, SMC_LGR_HAS_VLAN },
		{ 2, 0, 6, SMC_LGR_HAS_CONNS },
		{ 2, 0, 9, SMC_LGR_HAS_NET_COOKIE },
		{ 2, 0, 11, SMC_LGR_HAS_BUF_TYPE },
		{ 2, 0, 12, SMC_LGR_HAS_SNDBUF },
		{ 2, 0, 13, SMC_LGR_HAS_RCVBUF },
		{ 2, 7, 0, SMC_LGR_HAS_VERSION },
		{ 2, 7, 1, SMC_LGR_HAS_RELEASE },
		{ 2, 7, 2, SMC_LGR_HAS_OS },
		{ 2, 7, 3, SMC_LGR_HAS_EID },
		{ 2, 7, 4, SMC_LGR_HAS_PEER_HOST },
		{ 2, 8, 1, SMC_LGR_HAS_DIRECT },
		{ 2, 8, 2, SMC_LGR_HAS_MAX_CONNS },
		{ 2, 8, 3, SMC_LGR_HAS_MAX_LINKS },
		{ 4, 0, 1, SMC_LGR_HAS_ID },
		{ 4, 0, 2, SMC_LGR_HAS_GID },
		{ 4, 0, 3, SMC_LGR_HAS_PEER_GID },
		{ 4, 0, 4, SMC_LGR_HAS_VLAN },
		{ 4, 0, 5, SMC_LGR_HAS_CONNS },
		{ 4, 0, 6, SMC_LGR_HAS_PNETID },
		{ 4, 0, 7, SMC_LGR_HAS_CHID },
		{ 4, 0, 10, SMC_LGR_HAS_EXT_GID },
		{ 4, 0, 11, SMC_LGR_HAS_PEER_EXT_GID },
		{ 4, 0, 12, SMC_LGR_HAS_SNDBUF },
		{ 4, 0, 13, SMC_LGR_HAS_RCVBUF },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t nest = genl_begin(&m, rows[i].number), inner = 0;

		if (rows[i].nest)
			inner = genl_nest(&m, rows[i].nest);
		genl_u64(&m, rows[i].type, 1); /* large enough for each */
		if (rows[i].nest)
			genl_end(&m, inner);
		genl_end(&m, nest);
		assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
		assert_int_equal(lgr.has, rows[i].has);
	}
}

/* Trailing blanks are padding, bytes after the NUL are ignored. */
TEST(padded_strings)
{
	size_t nest;

	nest = genl_begin(&m, 2);
	message_attr(&m, 4, "A B  \0 xyz", 10);
	genl_end(&m, nest);
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
	assert_string_equal(lgr.pnetid, "A B");
}

TEST(links)
{
	struct smc_link link;
	size_t nest;

	nest = genl_begin(&m, 3);
	genl_u8(&m, 1, 1);
	genl_u32(&m, 10, 3);
	genl_u32(&m, 6, 12);
	genl_u8(&m, 3, 1);
	genl_u32(&m, 7, 4);
	genl_str(&m, 2, "mlx5_bond_0");
	message_attr(&m, 8, "\0\0\1\1", 4);
	message_attr(&m, 9, "\0\0\1\2", 4);
	genl_str(&m, 4, "0000:0000:0000:0000:0000:ffff:0a08:0001");
	genl_str(&m, 5, "0000:0000:0000:0000:0000:ffff:0a08:0002");
	genl_end(&m, nest);
	assert_int_equal(smc_link_decode(&link, &m.nlh), 0);
	assert_int_equal(link.has, (1 << 10) - 1);
	assert_int_equal(link.state, 3);
	assert_int_equal(link.conns, 12);
	assert_int_equal(link.ifindex, 4);
	assert_memory_equal(link.uid, "\0\0\1\1", 4);
	assert_string_equal(link.ib_dev, "mlx5_bond_0");
	assert_string_equal(link.peer_gid, "0000:0000:0000:0000:0000:ffff:0a08:0002");
	/* The dump has both kinds: each decoder refuses the other's. */
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), -EBADMSG);
	nest = genl_begin(&m, 2);
	genl_end(&m, nest);
	assert_int_equal(smc_link_decode(&link, &m.nlh), -EBADMSG);
	nest = genl_begin(&m, 3);
	genl_noise(&m);
	genl_end(&m, nest);
	assert_int_equal(smc_link_decode(&link, &m.nlh), 0);
	assert_int_equal(link.has, 0);
	assert_string_equal(link.ib_dev, "");
}
