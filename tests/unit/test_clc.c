// SPDX-License-Identifier: MIT
/* extra/smc_dump/clc: messages captured from Linux, and ones that Linux does not send. */
#include "said.h"

#include "smc_dump/clc.h"
#include "smc_dump/print_event.h"

#define SMCD_PROPOSAL                                                                              \
	"e2d4c3d9 0100e026 00000000 00000000 00000000 00000000 00000000 00000000"                  \
	"00000000 00000000 00000000 00000000 0000001c 00000000 00000000 00000000"                  \
	"00000000 00000000 00000000 00000000 01020010 00000040 00000000 00000000"                  \
	"00000000 00000000 00000001 00000000 00000000 00000000 534d432d 54455354"                  \
	"2d454944 20202020 20202020 20202020 20202020 20202020 00000000 00000000"                  \
	"00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000"                  \
	"00000000 00000000 3fc31437 efff4645 ffff8391 3fa1c37a 7f9fffff e2d4c3d9"
#define SMCR_CONFIRM                                                                               \
	"e2d4c3d9 0300b428 b4a30000 00000000 00000000 00000000 0000ffff 7f000001"                  \
	"00000000 00000000 12000005 ea010000 00022500 ffff8880 02d90000 0033ba87"                  \
	"534d432d 54455354 2d454944 20202020 20202020 20202020 20202020 20202020"                  \
	"00000000 00000000 80210000 286e6f6e 65292020 20202020 20202020 20202020"                  \
	"20202020 20202020 20202020 ff020001 00000000 00000000 00000000 01000000"                  \
	"00000000 00000000 0000ffff 7f000001 e2d4c3d9"
#define SMCD_ACCEPT                                                                                \
	"e2d4c3c4 02008229 3fc31437 efff4645 fe72d0c6 cfe21ed2 00200000 00010000"                  \
	"ffff534d 432d5445 53542d45 49442020 20202020 20202020 20202020 20202020"                  \
	"20208391 3fa1c37a 7f9f0021 0000286e 6f6e6529 20202020 20202020 20202020"                  \
	"20202020 20202020 20202020 20200000 00010000 00000000 00000000 0000e2d4"                  \
	"c3c4"
#define DECLINE_V2                                                                                 \
	"e2d4c3d9 04002c20 00000000 00000000 03030008 20000000 00000000 00000000"                  \
	"00000000 00000000 e2d4c3d9"
#define BOTH_PROPOSAL                                                                              \
	"e2d4c3d9 0101082f 0001aabb ccddeeff fe800000 00000000 a8bbccff feddeeff"                  \
	"aabbccdd eeff0028 11223344 55667788 07c00024 00000000 00000000 00000000"                  \
	"00000000 00000000 00000000 00000000 0a000000 18000000 02020011 00000060"                  \
	"fe800000 00000000 a8bbccff feddeeff 20020000 00000000 00000000 00000000"                  \
	"4549442e 4f4e4520 20202020 20202020 20202020 20202020 20202020 20202020"                  \
	"4549442e 54574f20 20202020 20202020 20202020 20202020 20202020 20202020"                  \
	"49424d2d 5359535a 2d49534d 53454944 30303030 30303030 31323334 35363738"                  \
	"00000000 00000000 00000000 00000000 11223344 55667788 07c099aa bbccddee"                  \
	"ff0007c1 e2d4c3d9"
#define V1_PROPOSAL                                                                                \
	"e2d4c3d9 01006d13 0001aabb ccddeeff fe800000 00000000 a8bbccff feddeeff"                  \
	"aabbccdd eeff0028 11223344 55667788 00000000 00000000 00000000 00000000"                  \
	"00000000 00000000 00000000 00000000 0a000000 18000001 fd000000 00000000"                  \
	"00000000 00000000 40e2d4c3 d9"
#define V1_SMCR_ACCEPT                                                                             \
	"e2d4c3d9 02004418 00021122 33445566 fe800000 00000000 102233ff fe445566"                  \
	"11223344 55660000 110000ab cd010000 00032500 00000000 12340000 000001e2"                  \
	"e2d4c3d9"

static struct smc_clc decode(const char *text)
{
	struct smc_clc clc;
	uint8_t bytes[1024];
	size_t len = hex(bytes, sizeof(bytes), text);

	assert_int_equal(smc_clc_length(bytes, len), len);
	assert_int_equal(smc_clc_decode(&clc, bytes, len), 0);
	assert_int_equal(clc.len, len);
	assert_false(clc.is_cut);
	assert_null(clc.damage);
	return clc;
}

TEST(members)
{
	static const struct {
		const char *message, *json;
	} rows[] = {
		{ SMCD_PROPOSAL,
		  "{'paths':'SMC-D v2','length':224,'is_cut':false,"
		  "'peer_id':'0x0000000000000000','ueids':['SMC-TEST-EID'],'has_seid':false,"
		  "'isms':[{'gid':'0x3fc31437efff4645','gid_ext':'0x83913fa1c37a7f9f',"
		  "'chid':65535}],'release':1,'max_conns':0,'max_links':0,'features':1}" },
		{ BOTH_PROPOSAL,
		  "{'paths':'SMC-R v1, SMC-D v1, SMC-R v2, SMC-D v2','length':264,"
		  "'is_cut':false,'peer_id':'0x0001aabbccddeeff',"
		  "'gid':'fe80::a8bb:ccff:fedd:eeff','mac':'aa:bb:cc:dd:ee:ff',"
		  "'subnet':'10.0.0.0/24','prefixes':[],'ism_gid':'0x1122334455667788',"
		  "'chid':1984,'ueids':['EID.ONE','EID.TWO'],"
		  "'seid':'IBM-SYSZ-ISMSEID0000000012345678','has_seid':true,"
		  "'isms':[{'gid':'0x1122334455667788','chid':1984},"
		  "{'gid':'0x99aabbccddeeff00','chid':1985}],"
		  "'v2_gid':'fe80::a8bb:ccff:fedd:eeff','release':1,'max_conns':32,"
		  "'max_links':2,'features':0}" },
		{ V1_PROPOSAL,
		  "{'paths':'SMC-R v1, SMC-D v1','length':109,'is_cut':false,"
		  "'peer_id':'0x0001aabbccddeeff','gid':'fe80::a8bb:ccff:fedd:eeff',"
		  "'mac':'aa:bb:cc:dd:ee:ff','subnet':'10.0.0.0/24','prefixes':['fd00::/64'],"
		  "'ism_gid':'0x1122334455667788'}" },
		{ V1_SMCR_ACCEPT,
		  "{'paths':'SMC-R','length':68,'is_cut':false,'peer_id':'0x0002112233445566',"
		  "'gid':'fe80::1022:33ff:fe44:5566','mac':'11:22:33:44:55:66','qp':'0x000011',"
		  "'psn':'0x0001e2','path_mtu':4096,'rkey':'0x0000abcd',"
		  "'address':'0x0000000012340000','alert_token':'0x00000003','index':1,"
		  "'buffer':65536}" },
		{ SMCR_CONFIRM,
		  "{'paths':'SMC-R','length':180,'is_cut':false,'peer_id':'0xb4a3000000000000',"
		  "'gid':'::ffff:127.0.0.1','mac':'00:00:00:00:00:00','qp':'0x000012',"
		  "'psn':'0x33ba87','path_mtu':4096,'rkey':'0x000005ea',"
		  "'address':'0xffff888002d90000','alert_token':'0x00000002','index':1,"
		  "'buffer':65536,'eid':'SMC-TEST-EID','host':'(none)','os':'Linux',"
		  "'release':1,'is_direct':true,'max_conns':255,'max_links':2,'features':1,"
		  "'gids':['::ffff:127.0.0.1']}" },
		{ SMCD_ACCEPT,
		  "{'paths':'SMC-D','length':130,'is_cut':false,'ism_gid':'0x3fc31437efff4645',"
		  "'ism_gid_ext':'0x83913fa1c37a7f9f','chid':65535,"
		  "'dmb_token':'0xfe72d0c6cfe21ed2','link_group':'0x00010000','index':0,"
		  "'buffer':65536,'eid':'SMC-TEST-EID','host':'(none)','os':'Linux',"
		  "'release':1,'is_direct':false,'max_conns':0,'max_links':0,'features':1}" },
		{ DECLINE_V2,
		  "{'length':44,'is_cut':false,'peer_id':'0x0000000000000000','os':'Linux',"
		  "'reason':'0x03030008','diagnosis':['0x00000000','0x00000000','0x00000000',"
		  "'0x00000000']}" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct smc_clc clc = decode(rows[i].message);

		assert_string_equal(json_said(out_json(clc_columns, NULL, &clc)), rows[i].json);
	}
}

/* As in RFC 7609: the subnet comes first, without SMC-D. */
TEST(rfc)
{
	struct smc_clc clc = decode("e2d4c3d9 01003410 0001aabbccddeeff fe80000000000000"
				    "a8bbccfffeddeeff aabbccddeeff 0000 0a000000 18000000e2d4c3d9");

	assert_true(smc_clc_offers(&clc, SMC_CLC_R, 1));
	assert_false(smc_clc_offers(&clc, SMC_CLC_D, 1));
	assert_int_equal(clc.subnet_len, 24);
	assert_int_equal(clc.n_prefixes, 0);
	assert_false(clc.has & (SMC_CLC_HAS_ISM_GID | SMC_CLC_HAS_CHID | SMC_CLC_HAS_V2));
}

#define SMCR 0xd9
#define SMCD 0xc4
#define V2_PROPOSAL SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_V2 | SMC_CLC_HAS_LIMITS | SMC_CLC_HAS_RELEASE
#define V2_ANSWER_R SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_GID | SMC_CLC_HAS_RDMA | SMC_CLC_HAS_EID
#define V2_ANSWER_D SMC_CLC_HAS_DMB | SMC_CLC_HAS_ISM_GID | SMC_CLC_HAS_EID | SMC_CLC_HAS_CHID
#define FIRST_CONTACT SMC_CLC_HAS_FIRST | SMC_CLC_HAS_RELEASE

/* Each message in each length that hosts send: zeros, except for the length fields. */
/* clang-format off */
static const struct {
	const char *who;
	uint8_t eye, type;
	uint16_t len;
	uint8_t flags;
	struct { uint16_t at; uint8_t value; } set[6];
	uint32_t has;
} lengths[] = {
	{ "proposal, SMC-R: RFC 7609, Linux 4.11, z/OS, AIX", SMCR, SMC_CLC_PROPOSAL, 52, 0x10,
	  { { 0 } }, SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_GID | SMC_CLC_HAS_SUBNET },
	{ "with an IPv6 prefix: Linux 4.16", SMCR, SMC_CLC_PROPOSAL, 69, 0x10, { { 47, 1 } },
	  SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_GID | SMC_CLC_HAS_SUBNET },
	{ "SMC-D: Linux 4.19", SMCR, SMC_CLC_PROPOSAL, 92, 0x11, { { 39, 40 }, { 47, 1 } },
	  SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_GID | SMC_CLC_HAS_SUBNET | SMC_CLC_HAS_ISM_GID },
	{ "both, with an IPv6 prefix: Linux 4.19", SMCR, SMC_CLC_PROPOSAL, 109, 0x13,
	  { { 39, 40 }, { 47, 1 }, { 87, 1 } },
	  SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_GID | SMC_CLC_HAS_SUBNET | SMC_CLC_HAS_ISM_GID },
	{ "SMC-Dv2, an ISM device: Linux 5.10", SMCR, SMC_CLC_PROPOSAL, 214, 0x26,
	  { { 51, 28 }, { 80, 1 }, { 81, 1 }, { 87, 64 } }, V2_PROPOSAL | SMC_CLC_HAS_SEID },
	{ "without EID, an emulated device: Linux 6.8", SMCR, SMC_CLC_PROPOSAL, 192, 0x26,
	  { { 51, 28 }, { 81, 2 }, { 87, 32 }, { 176, 0xff }, { 186, 0xff } },
	  V2_PROPOSAL | SMC_CLC_HAS_SEID },
	{ "SMC-Rv2: Linux 5.16", SMCR, SMC_CLC_PROPOSAL, 156, 0x22, { { 51, 28 }, { 80, 1 } },
	  V2_PROPOSAL | SMC_CLC_HAS_V2_GID },
	{ "SMC-R, v1 and v2: Linux 5.16", SMCR, SMC_CLC_PROPOSAL, 164, 0x20,
	  { { 39, 40 }, { 51, 36 }, { 88, 1 } },
	  V2_PROPOSAL | SMC_CLC_HAS_V2_GID | SMC_CLC_HAS_GID | SMC_CLC_HAS_SUBNET },
	{ "accept, SMC-R: RFC 7609, Linux 4.11", SMCR, SMC_CLC_ACCEPT, 68, 0x18, { { 0 } },
	  SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_GID | SMC_CLC_HAS_RDMA },
	{ "SMC-Rv2: Linux 5.16", SMCR, SMC_CLC_ACCEPT, 108, 0x20, { { 0 } }, V2_ANSWER_R },
	{ "first contact: Linux 5.16", SMCR, SMC_CLC_ACCEPT, 160, 0x28, { { 0 } },
	  V2_ANSWER_R | FIRST_CONTACT },
	{ "2.1: Linux 6.6", SMCR, SMC_CLC_ACCEPT, 160, 0x28, { { 105, 0x21 } },
	  V2_ANSWER_R | FIRST_CONTACT | SMC_CLC_HAS_LIMITS },
	{ "SMC-D: Linux 4.19", SMCD, SMC_CLC_ACCEPT, 48, 0x19, { { 0 } },
	  SMC_CLC_HAS_DMB | SMC_CLC_HAS_ISM_GID },
	{ "SMC-Dv2: Linux 5.10", SMCD, SMC_CLC_ACCEPT, 78, 0x21, { { 0 } }, V2_ANSWER_D },
	{ "first contact: Linux 5.10", SMCD, SMC_CLC_ACCEPT, 114, 0x29, { { 0 } },
	  V2_ANSWER_D | FIRST_CONTACT },
	{ "2.1: Linux 6.6", SMCD, SMC_CLC_ACCEPT, 130, 0x29, { { 75, 0x21 } },
	  V2_ANSWER_D | FIRST_CONTACT | SMC_CLC_HAS_LIMITS },
	{ "confirm, SMC-R: RFC 7609, Linux 4.11", SMCR, SMC_CLC_CONFIRM, 68, 0x18, { { 0 } },
	  SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_GID | SMC_CLC_HAS_RDMA },
	{ "SMC-Rv2: Linux 5.16", SMCR, SMC_CLC_CONFIRM, 108, 0x20, { { 0 } }, V2_ANSWER_R },
	{ "first contact, two GIDs: Linux 5.16", SMCR, SMC_CLC_CONFIRM, 196, 0x28, { { 156, 2 } },
	  V2_ANSWER_R | FIRST_CONTACT | SMC_CLC_HAS_GIDS },
	{ "SMC-D: Linux 4.19", SMCD, SMC_CLC_CONFIRM, 48, 0x19, { { 0 } },
	  SMC_CLC_HAS_DMB | SMC_CLC_HAS_ISM_GID },
	{ "first contact: Linux 5.10", SMCD, SMC_CLC_CONFIRM, 114, 0x29, { { 0 } },
	  V2_ANSWER_D | FIRST_CONTACT },
	{ "2.1: Linux 6.6", SMCD, SMC_CLC_CONFIRM, 130, 0x29, { { 75, 0x21 } },
	  V2_ANSWER_D | FIRST_CONTACT | SMC_CLC_HAS_LIMITS },
	{ "decline: RFC 7609, Linux 4.11", SMCR, SMC_CLC_DECLINE, 28, 0x10, { { 0 } },
	  SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_REASON },
	{ "out of sync", SMCR, SMC_CLC_DECLINE, 28, 0x18, { { 0 } },
	  SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_REASON },
	{ "version 2: Linux 5.10 to 5.15", SMCR, SMC_CLC_DECLINE, 28, 0x20, { { 0 } },
	  SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_REASON },
	{ "version 2: Linux 5.16", SMCR, SMC_CLC_DECLINE, 44, 0x28, { { 0 } },
	  SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_REASON | SMC_CLC_HAS_DIAGNOSIS },
};
/* clang-format on */

static struct smc_clc of_length(size_t row, uint16_t len)
{
	const uint8_t eye[] = { 0xe2, 0xd4, 0xc3, lengths[row].eye };
	uint8_t bytes[512] = { 0 };
	struct smc_clc clc;

	for (size_t i = 0; i < ARRAY_SIZE(lengths[row].set); i++)
		bytes[lengths[row].set[i].at] = lengths[row].set[i].value;
	memcpy(bytes, eye, sizeof(eye));
	bytes[4] = lengths[row].type;
	bytes[6] = (uint8_t)len;
	bytes[7] = lengths[row].flags;
	memcpy(bytes + len - sizeof(eye), eye, sizeof(eye));
	assert_int_equal(smc_clc_decode(&clc, bytes, len), 0);
	return clc;
}

/* Complete in the lengths that hosts send, damaged with a byte less. */
TEST(each_length)
{
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct smc_clc clc = of_length(i, lengths[i].len);

		if (clc.damage || clc.has != lengths[i].has)
			fail_msg("%s (%u bytes): %s, %x", lengths[i].who, lengths[i].len,
				 clc.damage, clc.has ^ lengths[i].has);
		clc = of_length(i, lengths[i].len - 1);
		if (!clc.damage)
			fail_msg("%s: %u bytes are enough", lengths[i].who, clc.len);
	}
}

/* Exactly the captured part is decoded. */
TEST(cut)
{
	uint8_t bytes[512];
	size_t len = hex(bytes, sizeof(bytes), BOTH_PROPOSAL);
	struct smc_clc clc;

	for (size_t part = 0; part < len; part++) {
		if (part < SMC_CLC_HEADER) {
			assert_int_equal(smc_clc_length(bytes, part), SMC_CLC_HEADER);
			assert_int_equal(smc_clc_decode(&clc, bytes, part), -EBADMSG);
			continue;
		}
		assert_int_equal(smc_clc_length(bytes, part), len);
		assert_int_equal(smc_clc_decode(&clc, bytes, part), 0);
		assert_true(clc.is_cut);
		assert_null(clc.damage);
		assert_int_equal(!!(clc.has & SMC_CLC_HAS_PEER_ID), part >= 16);
		assert_int_equal(!!(clc.has & SMC_CLC_HAS_V2), part >= 128);
		assert_int_equal(clc.n_ueids, part >= 192 ? 2 : part >= 160);
		assert_int_equal(!!(clc.has & SMC_CLC_HAS_SEID), part >= 240);
		assert_int_equal(clc.n_isms, part >= 260 ? 2 : part >= 250);
	}
}

/* The group is decoded from messages of @from bytes and more. */
static void cut_at(const char *text, uint32_t bit, size_t from)
{
	uint8_t bytes[512];
	size_t len = hex(bytes, sizeof(bytes), text);
	struct smc_clc clc;

	for (size_t part = SMC_CLC_HEADER; part < len; part++) {
		assert_int_equal(smc_clc_decode(&clc, bytes, part), 0);
		assert_true(clc.is_cut && !clc.damage);
		assert_int_equal(!!(clc.has & bit), part >= from);
	}
}

TEST(cut_answers)
{
	cut_at(SMCR_CONFIRM, SMC_CLC_HAS_PEER_ID, 16);
	cut_at(SMCR_CONFIRM, SMC_CLC_HAS_GID, 38);
	cut_at(SMCR_CONFIRM, SMC_CLC_HAS_RDMA, 64);
	cut_at(SMCR_CONFIRM, SMC_CLC_HAS_EID, 104);
	cut_at(SMCR_CONFIRM, SMC_CLC_HAS_FIRST, 140);
	cut_at(SMCR_CONFIRM, SMC_CLC_HAS_LIMITS, 156);
	cut_at(SMCR_CONFIRM, SMC_CLC_HAS_GIDS, 160);
	cut_at(SMCD_ACCEPT, SMC_CLC_HAS_DMB, 32);
	cut_at(SMCD_ACCEPT, SMC_CLC_HAS_EID, 74);
	cut_at(SMCD_ACCEPT, SMC_CLC_HAS_FIRST, 110);
	cut_at(SMCD_ACCEPT, SMC_CLC_HAS_LIMITS, 126);
	cut_at(DECLINE_V2, SMC_CLC_HAS_REASON, 24);
	cut_at(DECLINE_V2, SMC_CLC_HAS_DIAGNOSIS, 40);
	cut_at(V1_PROPOSAL, SMC_CLC_HAS_SUBNET, 88);
	cut_at(V1_PROPOSAL, SMC_CLC_HAS_ISM_GID, 52);
}

static const char *damage(size_t at, uint8_t value)
{
	uint8_t bytes[512];
	size_t len = hex(bytes, sizeof(bytes), BOTH_PROPOSAL);
	struct smc_clc clc;

	bytes[at] = value;
	assert_int_equal(smc_clc_decode(&clc, bytes, len), 0);
	return clc.damage ? clc.damage : "";
}

TEST(damaged)
{
	static const char too_short[] = "*too short*";

	assert_like(damage(263, 0), "*last four bytes *");
	assert_like(damage(88, 9), "*8 EIDs");
	assert_like(damage(88, 8), too_short);
	assert_like(damage(89, 3), too_short);
	assert_like(damage(87, 9), "*8 IPv6 prefixes");
	assert_like(damage(50, 0xff), too_short);
	assert_like(damage(94, 0xff), too_short);
	assert_like(damage(38, 0xff), too_short);
}

TEST(strange)
{
	uint8_t bytes[512];
	struct smc_clc clc;

	assert_int_equal(smc_clc_length("GET / HT", 8), 0);
	assert_int_equal(smc_clc_length("G", 1), 0);
	assert_int_equal(smc_clc_length("", 0), SMC_CLC_HEADER);
	assert_int_equal(smc_clc_decode(&clc, "GET / HTTP/1.1", 14), -EBADMSG);
	hex(bytes, sizeof(bytes), DECLINE_V2);
	bytes[4] = 5;
	assert_int_equal(smc_clc_length(bytes, 5), 0);
	bytes[4] = 4;
	bytes[6] = 11;
	assert_int_equal(smc_clc_length(bytes, 8), 0);
	bytes[5] = 0xff;
	assert_int_equal(smc_clc_length(bytes, 8), 0);
	assert_null(smc_clc_os_name(0));
	assert_null(smc_clc_os_name(15));
	assert_null(smc_clc_type_name(0));
	assert_null(smc_clc_type_name(5));
}
