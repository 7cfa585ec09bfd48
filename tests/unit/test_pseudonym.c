// SPDX-License-Identifier: MIT
/* smc_chk/bundle: pseudonyms of names and addresses, in texts and in netlink answers. */
#include "test.h"

#include "smc_chk/bundle/collect.h"

#include <ctype.h>
#include <linux/genetlink.h>

#include "smc/genl_abi.h"

static const struct pseudonyms all = { .key = "0123456789abcde", .host = "Db1.example.org" };

/* Test vector of the paper. */
TEST(test_siphash)
{
	uint8_t key[SIPHASH_KEY], data[15];

	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)i;
	memcpy(data, key, sizeof(data));
	assert_true(siphash(key, data, sizeof(data)) == 0xa129ca6149be45e5);
}

TEST(test_names)
{
	char one[] = "FLEET-1.a", other[] = "fleet-1.B", empty[] = "";

	pseudonym_name(&all, one, sizeof(one));
	pseudonym_name(&all, other, sizeof(other));
	for (size_t i = 0; i < strlen("FLEET-1.a"); i++) {
		assert_int_equal(isupper((unsigned char)one[i]), isupper("FLEET-1.a"[i]));
		assert_int_equal(!!isdigit((unsigned char)one[i]), !!isdigit("FLEET-1.a"[i]));
		if (isalnum((unsigned char)one[i]))
			assert_int_not_equal(one[i], "FLEET-1.a"[i]);
		/* Only the last character may differ. */
		assert_int_equal(tolower((unsigned char)one[i]) == tolower((unsigned char)other[i]),
				 i < 8);
	}
	pseudonym_name(&all, empty, sizeof(empty));
	assert_string_equal(empty, "");
}

/* Number of equal leading bits. */
static unsigned int common(const uint8_t *one, const uint8_t *other, unsigned int bits)
{
	unsigned int bit = 0;

	while (bit < bits && !((one[bit / 8] ^ other[bit / 8]) & 0x80 >> bit % 8))
		bit++;
	return bit;
}

TEST(test_prefixes)
{
	uint32_t seed = 1;

	for (int round = 0; round < 2000; round++) {
		uint8_t one[16], other[16], a[16], b[16];

		for (size_t i = 0; i < 32; i++) {
			seed = seed * 1664525 + 1013904223;
			(i < 16 ? one : other)[i % 16] = (uint8_t)(seed >> 24);
		}
		one[0] = (uint8_t)(1 + one[0] % 100);
		memcpy(other, one, (size_t)round % 15 + 1);
		memcpy(a, one, 16);
		memcpy(b, other, 16);
		pseudonym_ipv4(&all, a);
		pseudonym_ipv4(&all, b);
		assert_int_equal(common(a, b, 32), common(one, other, 32));
		memcpy(a, one, 16);
		memcpy(b, other, 16);
		pseudonym_ipv6(&all, a);
		pseudonym_ipv6(&all, b);
		assert_int_equal(common(a, b, 128), common(one, other, 128));
	}
}

static void expect_kept(const char *from, bool is_kept)
{
	struct out_text text = { 0 };

	pseudonym_text(&all, &text, from, strlen(from));
	if ((text.len == strlen(from) && !memcmp(text.data, from, text.len)) != is_kept)
		fail_msg("'%s' became '%.*s'", from, (int)text.len, text.data);
	out_free(&text);
}

TEST(test_kept)
{
	static const char *const same[] = {
		"127.0.0.1/8 0.0.0.0 255.255.255.0 224.0.0.1 255.255.255.255", "::1/128 :: ff02::1",
		"ff:ff:ff:ff:ff:ff 00:00:00:00:00:00", "0000:00:01.0 8086:1237 1af4:1000",
		"db10 xdb1 db1x",
		"6.12.95+deb12-amd64 mlx5_0 IB/RoCE v1", "0000:0000:0000:0000:0000:0000:0000:0000",
		"0000:0000:0000:0000:0000:ffff:7f00:0001",
	}, *const others[] = {
		"10.0.0.1", "a 10.0.0.1/24 b", "fd00::1", "52:54:00:12:34:56", "fe80::1:2",
		"0000:0000:0000:0000:0000:ffff:0a00:0001", "5054:00ff:fe12:3456", "on DB1/",
		"db1.example.org", "::ffff:10.0.0.1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		expect_kept(same[i], true);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		expect_kept(others[i], false);
}

static void text_of(char made[256], const char *from)
{
	struct out_text text = { 0 };

	pseudonym_text(&all, &text, from, strlen(from));
	snprintf(made, 256, "%.*s", (int)text.len, text.data);
	out_free(&text);
}

/* An address has the same pseudonym in each notation, and keeps its kind. */
TEST(test_forms)
{
	char ipv4[256], gid[256], mapped[256], host[256];
	uint8_t addr[16], mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };
	struct in6_addr bytes;

	text_of(ipv4, "10.0.0.1");
	text_of(gid, "0000:0000:0000:0000:0000:ffff:0a00:0001");
	assert_int_equal(strlen(gid), 39);
	assert_int_equal(inet_pton(AF_INET6, gid, &bytes), 1);
	snprintf(mapped, sizeof(mapped), "::ffff:%.40s", ipv4);
	assert_int_equal(inet_pton(AF_INET6, mapped, addr), 1);
	assert_memory_equal(addr, &bytes, 16);
	pseudonym_mac(&all, mac);
	assert_int_equal(mac[0] & 3, 2);
	text_of(host, "Db1.example.org Db1");
	assert_int_equal(strncmp(host, host + strlen("Db1.example.org "), 3), 0);
}

/* SMC_GEN_NETLINK/3: a link group with a PNET ID, and in another nest a GID and a device. */
TEST(test_attributes)
{
	static const char gid[] = "0000:0000:0000:0000:0000:ffff:0a00:0001";
	char data[256] = "smc-tools netlink 1 little 0 - \n";
	struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
		struct nlattr group, pnetid;
		char name[8];
		struct nlattr link, device;
		char dev[8];
		struct nlattr address;
		char text[40];
	} msg = {
		.nlh = { .nlmsg_len = sizeof(msg) },
		.group = { 16, 2 | NLA_F_NESTED },
		.pnetid = { 12, 4 },
		.name = "NET1",
		.link = { 60, 3 | NLA_F_NESTED },
		.device = { 12, 2 },
		.dev = "rxe0",
		.address = { 44, 4 },
	};
	char *at = data + strlen(data);

	memcpy(msg.text, gid, sizeof(gid));
	memcpy(at, &msg, sizeof(msg));
	anonymous_answer(&all, "SMC_GEN_NETLINK/3", data, (size_t)(at - data) + sizeof(msg));
	memcpy(&msg, at, sizeof(msg));
	assert_string_not_equal(msg.name, "NET1");
	assert_int_equal(strlen(msg.name), 4);
	assert_string_equal(msg.dev, "rxe0");
	assert_string_not_equal(msg.text, gid);
	assert_int_equal(strlen(msg.text), strlen(gid));
	/* Wrong lengths do not lead outside. */
	for (unsigned int len = 0; len < 70000; len += 97) {
		msg.link.nla_len = (uint16_t)len;
		memcpy(at, &msg, sizeof(msg));
		anonymous_answer(&all, "SMC_GEN_NETLINK/3", data,
				 (size_t)(at - data) + sizeof(msg));
	}
}

TEST(test_sockets)
{
	char data[256] = "smc-tools netlink 1 little 0 - \n";
	struct {
		struct nlmsghdr nlh;
		struct smc_abi_diag_msg body;
	} msg = { .nlh = { .nlmsg_len = sizeof(msg) } };
	char *at = data + strlen(data), text[64], expected[256];

	assert_int_equal(inet_pton(AF_INET, "10.0.0.1", msg.body.id.src), 1);
	assert_int_equal(inet_pton(AF_INET6, "fd00::1", msg.body.id.dst), 1);
	memcpy(at, &msg, sizeof(msg));
	anonymous_answer(&all, "sock_diag/43", data, (size_t)(at - data) + sizeof(msg));
	memcpy(&msg, at, sizeof(msg));
	text_of(expected, "10.0.0.1");
	assert_string_equal(inet_ntop(AF_INET, msg.body.id.src, text, sizeof(text)), expected);
	assert_int_equal(msg.body.id.src[1], 0);
	text_of(expected, "fd00::1");
	assert_string_equal(inet_ntop(AF_INET6, msg.body.id.dst, text, sizeof(text)), expected);
	/* With its padding, this length would be 0. */
	msg.nlh.nlmsg_len = UINT32_MAX;
	memcpy(at, &msg, sizeof(msg));
	anonymous_answer(&all, "sock_diag/43", data, (size_t)(at - data) + sizeof(msg));
	assert_memory_equal(at, &msg, sizeof(msg));
}
