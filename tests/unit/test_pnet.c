// SPDX-License-Identifier: MIT
/* lib/smc/pnet: messages of the PNET table, complete and malformed; names and ports. */
#include "test.h"

#include <linux/genetlink.h>

#include "smc/genl_abi.h"
#include "smc/pnet.h"

#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #a " is not " #b)
SAME(SMC_PNETID_GET, SMC_PNETID_GET);
SAME(SMC_PNETID_ADD, SMC_PNETID_ADD);
SAME(SMC_PNETID_DEL, SMC_PNETID_DEL);
SAME(SMC_PNETID_FLUSH, SMC_PNETID_FLUSH);
SAME(SMC_PNETID_NAME, SMC_PNETID_NAME);
SAME(SMC_PNETID_ETHNAME, SMC_PNETID_ETHNAME);
SAME(SMC_PNETID_IBNAME, SMC_PNETID_IBNAME);
SAME(SMC_PNETID_IBPORT, SMC_PNETID_IBPORT);

static void start(struct message *m)
{
	const struct genlmsghdr genl = { .cmd = SMC_PNETID_GET, .version = 1 };

	message_start(m, 0x20);
	message_put(m, &genl, sizeof(genl));
}

static void put_string(struct message *m, uint16_t type, const char *text)
{
	message_attr(m, type, text, strlen(text) + 1);
}

static void put_entry(struct message *m, const char *name, const char *eth, const char *ib,
		      uint8_t port)
{
	start(m);
	put_string(m, SMC_PNETID_NAME, name);
	put_string(m, SMC_PNETID_ETHNAME, eth);
	put_string(m, SMC_PNETID_IBNAME, ib);
	message_attr(m, SMC_PNETID_IBPORT, &port, 1);
}

static struct message m;

static struct smc_pnet e;

TEST(net_entry)
{
	put_entry(&m, "NET1", "eth0", "n/a", 255);
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), 0);
	assert_int_equal(e.has, SMC_PNET_HAS_NET);
	assert_string_equal(e.name, "NET1");
	assert_string_equal(e.eth, "eth0");
}

TEST(ib_entry)
{
	put_entry(&m, "ABCDEFGHIJ123456", "n/a", "mlx5_0", 2);
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), 0);
	assert_int_equal(e.has, SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT);
	assert_string_equal(e.name, "ABCDEFGHIJ123456"); /* all 16 */
	assert_string_equal(e.ib, "mlx5_0");
	assert_int_equal(e.port, 2);
}

TEST(other_order)
{
	const uint8_t port = 1, later[9] = "whatever";

	start(&m);
	message_attr(&m, 77, later, sizeof(later));
	message_attr(&m, SMC_PNETID_IBPORT, &port, 1);
	put_string(&m, SMC_PNETID_IBNAME, "rxelo");
	message_attr(&m, 0, "", 0);
	put_string(&m, SMC_PNETID_NAME, "LO");
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), 0);
	assert_int_equal(e.has, SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT);
	assert_string_equal(e.eth, "");
}

TEST(missing)
{
	message_start(&m, 0x20);
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), -EBADMSG);
	start(&m);
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), -EBADMSG);
	put_string(&m, SMC_PNETID_NAME, "NET1");
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), -EBADMSG);
	put_string(&m, SMC_PNETID_IBNAME, "mlx5_0");
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), 0);
	assert_int_equal(e.has, SMC_PNET_HAS_IB); /* port unknown, not 0 */
	message_attr(&m, SMC_PNETID_IBPORT, "", 0);
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), 0);
	assert_int_equal(e.has, SMC_PNET_HAS_IB);
	start(&m);
	put_string(&m, SMC_PNETID_ETHNAME, "eth0");
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), -EBADMSG);
}

TEST(damaged_strings)
{
	char text[128];

	memset(text, 'A', sizeof(text));
	start(&m);
	put_string(&m, SMC_PNETID_ETHNAME, "eth0");
	message_attr(&m, SMC_PNETID_NAME, text, 4); /* not terminated */
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), -EBADMSG);
	text[17] = '\0';
	message_attr(&m, SMC_PNETID_NAME, text, 18); /* too long */
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), -EBADMSG);
	text[16] = '\0';
	message_attr(&m, SMC_PNETID_NAME, text, 18); /* bytes after the NUL */
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), 0);
	assert_int_equal(strlen(e.name), 16);
	memset(text, 'B', sizeof(text));
	message_attr(&m, SMC_PNETID_IBNAME, text, sizeof(text));
	message_attr(&m, SMC_PNETID_IBNAME, "", 0);
	assert_int_equal(smc_pnet_decode(&e, &m.nlh), 0);
	assert_int_equal(e.has, SMC_PNET_HAS_NET);
}

/* A message without an entry is skipped, and does not end the dump. */
TEST(add_messages)
{
	struct smc_pnet_table table = { 0 };

	start(&m);
	assert_int_equal(smc_pnet_add(&m.nlh, &table), 0);
	assert_int_equal(table.count, 0);
	put_entry(&m, "NET1", "eth0", "n/a", 255);
	assert_int_equal(smc_pnet_add(&m.nlh, &table), 0);
	assert_int_equal(table.count, 1);
	assert_string_equal(table.entries[0].eth, "eth0");
	smc_pnet_free(&table);
}

static struct smc_err err;

TEST(names)
{
	static const char *const bad[] = {
		"", "  ", "A-B", "A_B", "A B", "ABCDEFGHIJKLMNOPQ", "N\xc4", "NET\x01", "n/a", "A.B"
	};
	char name[SMC_PNET_NAME_SIZE];

	assert_int_equal(smc_pnet_name(name, " abcDEF0123456789\n", &err), 0);
	assert_string_equal(name, "ABCDEF0123456789");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(smc_pnet_name(name, bad[i], &err), -EINVAL);
}

TEST(devices)
{
	char eth[SMC_PNET_ETH_SIZE], ib[SMC_PNET_IB_SIZE], text[80];

	assert_int_equal(smc_pnet_eth(eth, "abcdefghijklmno", &err), 0);
	assert_int_equal(smc_pnet_eth(eth, "abcdefghijklmnop", &err), -EINVAL);
	assert_int_equal(smc_pnet_eth(eth, "", &err), -EINVAL);
	assert_int_equal(smc_pnet_eth(eth, "a b", &err), -EINVAL);
	assert_int_equal(smc_pnet_eth(eth, "n/a", &err), -EINVAL);
	memset(text, 'x', sizeof(text));
	text[63] = '\0';
	assert_int_equal(smc_pnet_ib(ib, text, &err), 0);
	text[63] = 'x';
	text[64] = '\0';
	assert_int_equal(smc_pnet_ib(ib, text, &err), -EINVAL);
	assert_int_equal(smc_pnet_ib(ib, "0000:00:00.0", &err), 0);
}

/* An invalid character is refused at any position. */
TEST(device_characters)
{
	static const char *const bad[] = { "/", " ", "\x7f", "\x1f" };
	char eth[SMC_PNET_ETH_SIZE], text[8];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		for (size_t at = 0; at < 3; at++) {
			memcpy(text, "abc", 4);
			text[at] = bad[i][0];
			assert_int_equal(smc_pnet_eth(eth, text, &err), -EINVAL);
		}
	assert_int_equal(smc_pnet_eth(eth, "!\x80~", &err), 0);
	assert_string_equal(eth, "!\x80~");
}

TEST(ports)
{
	static const char *const bad[] = { "3", "-1", "x", "1x", "0x3", "99999999999999999999" };

	assert_int_equal(smc_pnet_port("", &err), 1);
	assert_int_equal(smc_pnet_port("0", &err), 1);
	assert_int_equal(smc_pnet_port("1", &err), 1);
	assert_int_equal(smc_pnet_port("0x2", &err), 2);
	assert_int_equal(smc_pnet_port("02", &err), 2);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(smc_pnet_port(bad[i], &err), -EINVAL);
}

TEST(holders)
{
	struct smc_pnet net = { SMC_PNET_HAS_NET, "A", "eth0", "", 0 };
	struct smc_pnet ib = { SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT, "A", "", "mlx5_0", 1 };
	struct smc_pnet ib2 = { SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT, "B", "", "mlx5_0", 2 };
	struct smc_pnet none = { SMC_PNET_HAS_NET, "A", "eth1", "", 0 };
	struct smc_pnet_table table = { 0 };

	smc_pnet_append(&table, &net);
	smc_pnet_append(&table, &ib);
	assert_ptr_equal(smc_pnet_holder(&table, &ib2), &table.entries[1]);
	assert_ptr_equal(smc_pnet_holder(&table, &net), &table.entries[0]);
	assert_null(smc_pnet_holder(&table, &none));
	assert_true(smc_pnet_same(&ib, &ib));
	assert_false(smc_pnet_same(&ib, &ib2));
	assert_false(smc_pnet_same(&ib, &net));
	smc_pnet_free(&table);
}
