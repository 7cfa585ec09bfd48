// SPDX-License-Identifier: MIT
/* Link groups and links: attributes sent, missing, or malformed. */
#include "genl_message.h"

#include "smc/gen.h"

/* The nest that both kinds of groups have. */
#define COMMON                                                                                     \
	"{0:1=2 1:1=1 2:1=2 4'peerhost                        '"                                   \
	" 3'MY-EID.1                        '}"

static struct smc_lgr lgr;

static struct message m;

static void decode(uint8_t number, const char *attributes)
{
	genl_make(&m, number, attributes);
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
}

/* As sent by kernel 7.2, in its order. */
TEST(smcr)
{
	decode(2, "2{1:4=0x100 6:4=1 2:1=1 3:1=3 11:1=2 5:1=0x64 9:8=0x1122334455667788"
		  " 4'ABCDEFGHIJKLMNOP' 12:4=65536 13:8=0x100000001 7" COMMON
		  " 8{1:1=1 2:1=255 3:1=2}}");
	assert_int_equal(lgr.has, (1 << 18) - 1);
	assert_printed("100 conns 1 role 1 type 3 buf 2 vlan 64 ABCDEFGHIJKLMNOP",
		       "%x conns %u role %d type %d buf %d vlan %x %s", lgr.id, lgr.conns, lgr.role,
		       lgr.type, lgr.buf_type, lgr.vlan, lgr.pnetid);
	assert_printed("2.1 os 2 peerhost MY-EID.1 max 255 2", "%d.%d os %d %s %s max %d %d",
		       lgr.version, lgr.release, lgr.os, lgr.peer_host, lgr.eid, lgr.max_conns,
		       lgr.max_links);
	assert_true(lgr.net_cookie == 0x1122334455667788);
	assert_true(lgr.sndbuf == 65536 && lgr.rcvbuf == 0x100000001);
	assert_true(lgr.is_v2 && lgr.is_direct);
}

TEST(smcd)
{
	/* The CHID has two lengths. */
	static const char *const chids[] = { "7:4=0xffff", "7:2=0xffff" };

	for (size_t i = 0; i < ARRAY_SIZE(chids); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "4{1:4=0x300 2:8=1 10:8=2 3:8=3 11:8=4 4:1=7 5:4=9 %s 12:4=0 13:4=65536 "
			 "6'' 9%s}",
			 chids[i], COMMON);
		decode(4, text);
		assert_true(lgr.gid == 1 && lgr.ext_gid == 2);
		assert_true(lgr.peer_gid == 3 && lgr.peer_ext_gid == 4);
		assert_printed("vlan 7 conns 9 chid ffff '' version 2",
			       "vlan %d conns %u chid %x '%s' version %d", lgr.vlan, lgr.conns,
			       lgr.chid, lgr.pnetid, lgr.version);
		assert_true(lgr.has & SMC_LGR_HAS_CHID && lgr.has & SMC_LGR_HAS_PNETID);
		assert_true(lgr.sndbuf == 0 && lgr.rcvbuf == 65536);
		assert_false(lgr.has & SMC_LGR_HAS_ROLE);
	}
}

/* Missing attributes are absent, and nothing of the previous group remains. */
TEST(missing)
{
	memset(&lgr, 0xff, sizeof(lgr));
	genl_make(&m, 2, "2{~}");
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
	/* Half of a u32 is valid, because of the CHID. */
	decode(2, "2{1:1=1 9:2=1 12:2=1 6:2=3}");
	assert_int_equal(lgr.has, SMC_LGR_HAS_CONNS);
}

TEST(long_strings)
{
	char name[200];
	size_t nest;

	memset(name, 'x', sizeof(name));
	genl_start(&m, 2);
	nest = genl_nest(&m, 2);
	message_attr(&m, 4, name, sizeof(name)); /* not terminated */
	genl_end(&m, nest);
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
	assert_int_equal(strlen(lgr.pnetid), 16);
}

/* Attributes without payload count as missing, also in the nests of version 2 and for SMC-D. */
TEST(empty_attributes)
{
	static const struct {
		uint8_t number;
		const char *attributes;
	} rows[] = { { 2, "2{7{~} 8{~} ~}" }, { 4, "4{9{~} ~}" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		decode(rows[i].number, rows[i].attributes);
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
		char text[64];

		/* Large enough for each. */
		snprintf(text, sizeof(text), rows[i].nest ? "%u{%u{%u:8=1}}" : "%u{%.0u%u:8=1}",
			 rows[i].number, rows[i].nest, rows[i].type);
		decode((uint8_t)rows[i].number, text);
		assert_int_equal(lgr.has, rows[i].has);
	}
}

/* Trailing blanks are padding, bytes after the NUL are ignored. */
TEST(padded_strings)
{
	size_t nest;

	genl_start(&m, 2);
	nest = genl_nest(&m, 2);
	message_attr(&m, 4, "A B  \0 xyz", 10);
	genl_end(&m, nest);
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), 0);
	assert_string_equal(lgr.pnetid, "A B");
}

TEST(links)
{
	struct smc_link link;

	genl_make(&m, 3,
		  "3{1:1=1 10:4=3 6:4=12 3:1=1 7:4=4 2'mlx5_bond_0' 8:4=0x01010101"
		  " 9:4=0x02010101 4'0000:0000:0000:0000:0000:ffff:0a08:0001'"
		  " 5'0000:0000:0000:0000:0000:ffff:0a08:0002'}");
	assert_int_equal(smc_link_decode(&link, &m.nlh), 0);
	assert_int_equal(link.has, (1 << 7) - 1);
	assert_memory_equal(link.uid, "\1\1\1\1", 4);
	assert_printed(
		"state 3 conns 12 ifindex 4 mlx5_bond_0 0000:0000:0000:0000:0000:ffff:0a08:0002",
		"state %d conns %u ifindex %u %s %s", link.state, link.conns, link.ifindex,
		link.ib_dev, link.peer_gid);
	/* The dump has both kinds: each decoder refuses the other's. */
	assert_int_equal(smc_lgr_decode(&lgr, &m.nlh), -EBADMSG);
	genl_make(&m, 2, "2{}");
	assert_int_equal(smc_link_decode(&link, &m.nlh), -EBADMSG);
	genl_make(&m, 3, "3{~}");
	assert_int_equal(smc_link_decode(&link, &m.nlh), 0);
	assert_int_equal(link.has, 0);
	assert_string_equal(link.ib_dev, "");
}
