// SPDX-License-Identifier: MIT
/* extra/smc_advise/xfrm: connections covered by an IPsec policy. */
#include "test.h"

#include "smc_advise/xfrm.h"

static int add(struct smc_xfrm_table *table, const struct xfrm_userpolicy_info *info,
	       bool has_template)
{
	const struct xfrm_user_tmpl template = { .family = AF_INET };
	struct message m;

	message_start(&m, XFRM_MSG_NEWPOLICY);
	message_put(&m, info, sizeof(*info));
	if (has_template)
		message_attr(&m, XFRMA_TMPL, &template, sizeof(template));
	return smc_xfrm_add(&m.nlh, table);
}

static struct xfrm_userpolicy_info policy(void)
{
	struct xfrm_userpolicy_info info = {
		.dir = XFRM_POLICY_OUT,
		.action = XFRM_POLICY_ALLOW,
		.sel = { .family = AF_INET,
			 .prefixlen_s = 32,
			 .prefixlen_d = 20,
			 .dport = htons(80),
			 .dport_mask = 0xffff,
			 .proto = 6 },
	};

	set_words((uint32_t *)&info.sel.saddr, AF_INET, "10.0.0.1");
	set_words((uint32_t *)&info.sel.daddr, AF_INET, "10.1.16.0");
	return info;
}

static bool has(const struct smc_xfrm_table *table, const char *local, const char *peer,
		uint16_t port)
{
	struct smc_addr here = { .family = AF_INET, .port = 4000 };
	struct smc_addr there = { .family = AF_INET, .port = port };

	here.family = there.family = strchr(peer, ':') ? AF_INET6 : AF_INET;
	assert_int_equal(inet_pton(here.family, local, here.ip), 1);
	assert_int_equal(inet_pton(there.family, peer, there.ip), 1);
	return smc_xfrm_has(table, &here, &there);
}

TEST(matches)
{
	struct smc_xfrm_table table = { 0 };
	struct xfrm_userpolicy_info info = policy();

	assert_false(has(&table, "10.0.0.1", "10.1.16.1", 80));
	assert_int_equal(add(&table, &info, true), 0);
	assert_true(has(&table, "10.0.0.1", "10.1.16.1", 80));
	assert_true(has(&table, "10.0.0.1", "10.1.31.255", 80));
	assert_false(has(&table, "10.0.0.1", "10.1.32.0", 80));
	assert_false(has(&table, "10.0.0.1", "10.1.15.255", 80));
	assert_false(has(&table, "10.0.0.2", "10.1.16.1", 80));
	assert_false(has(&table, "10.0.0.1", "10.1.16.1", 81));
	assert_false(has(&table, "fd00::1", "fd00::2", 80));
	smc_xfrm_free(&table);
	/* Everything. */
	info = (struct xfrm_userpolicy_info){ .dir = XFRM_POLICY_OUT };
	assert_int_equal(add(&table, &info, true), 0);
	assert_true(has(&table, "fd00::1", "fd00::2", 80));
	assert_true(has(&table, "10.0.0.2", "10.1.16.1", 81));
	smc_xfrm_free(&table);
}

TEST(others)
{
	struct smc_xfrm_table table = { 0 };
	struct xfrm_userpolicy_info info = policy();
	struct message m;

	assert_int_equal(add(&table, &info, false), 0);
	info.dir = XFRM_POLICY_IN;
	assert_int_equal(add(&table, &info, true), 0);
	info = policy();
	info.action = XFRM_POLICY_BLOCK;
	assert_int_equal(add(&table, &info, true), 0);
	assert_false(has(&table, "10.0.0.1", "10.1.16.1", 80));
	smc_xfrm_free(&table);
	info = policy();
	info.sel.proto = 17;
	assert_int_equal(add(&table, &info, true), 0);
	assert_false(has(&table, "10.0.0.1", "10.1.16.1", 80));
	message_start(&m, XFRM_MSG_NEWPOLICY);
	message_put(&m, &info, sizeof(info) - 1);
	assert_int_equal(smc_xfrm_add(&m.nlh, &table), -EBADMSG);
	smc_xfrm_free(&table);
}

static bool has_both(uint32_t ipsec, uint32_t ipsec_number, uint32_t exempt, uint32_t exempt_number)
{
	struct smc_xfrm_table table = { 0 };
	struct xfrm_userpolicy_info info = policy();
	bool ret;

	info.priority = ipsec;
	info.index = ipsec_number;
	assert_int_equal(add(&table, &info, true), 0);
	info.priority = exempt;
	info.index = exempt_number;
	info.sel.prefixlen_d = 16;
	assert_int_equal(add(&table, &info, false), 0);
	ret = has(&table, "10.0.0.1", "10.1.16.1", 80);
	smc_xfrm_free(&table);
	return ret;
}

/* The lowest number wins, then the older policy: the length of the prefix does not matter. */
TEST(priorities)
{
	struct smc_xfrm_table table = { 0 };
	struct xfrm_userpolicy_info info = policy();

	assert_true(has_both(100, 8, 200, 16));
	assert_true(has_both(100, 16, 200, 8));
	assert_false(has_both(200, 8, 100, 16));
	assert_true(has_both(100, 8, 100, 16));
	assert_false(has_both(100, 16, 100, 8));
	/* Also with equal selectors, in either order. */
	for (int is_first = 0; is_first < 2; is_first++) {
		info.priority = is_first ? 1 : 2;
		assert_int_equal(add(&table, &info, is_first), 0);
		info.priority = is_first ? 2 : 1;
		assert_int_equal(add(&table, &info, !is_first), 0);
		assert_true(has(&table, "10.0.0.1", "10.1.16.1", 80));
		smc_xfrm_free(&table);
	}
}

static int add_special(struct smc_xfrm_table *table, uint16_t type, uint32_t value, uint32_t mask)
{
	const struct xfrm_userpolicy_info info = policy();
	const struct xfrm_mark mark = { value, mask };
	const struct xfrm_user_tmpl template = { .family = AF_INET };
	struct message m;

	message_start(&m, XFRM_MSG_NEWPOLICY);
	message_put(&m, &info, sizeof(info));
	message_attr(&m, XFRMA_TMPL, &template, sizeof(template));
	message_attr(&m, type, &mark, type == XFRMA_MARK ? sizeof(mark) : sizeof(value));
	return smc_xfrm_add(&m.nlh, table);
}

/* With an XFRM interface or a mark: not decided by addresses. */
TEST(special)
{
	struct smc_xfrm_table table = { 0 };

	assert_int_equal(add_special(&table, XFRMA_MARK, 5, 0xff), 0);
	assert_int_equal(add_special(&table, XFRMA_IF_ID, 5, 0), 0);
	assert_false(has(&table, "10.0.0.1", "10.1.16.1", 80));
	assert_int_equal(add_special(&table, XFRMA_MARK, 0, 0xff), 0);
	assert_true(has(&table, "10.0.0.1", "10.1.16.1", 80));
	smc_xfrm_free(&table);
}

/* Thousands of tunnels: each is found. */
TEST(many)
{
	struct smc_xfrm_table table = { 0 };
	struct xfrm_userpolicy_info info = policy();
	char peer[32];

	for (uint32_t i = 0; i < 4000; i++) {
		info.sel.prefixlen_d = i % 2 ? 24 : 28;
		info.sel.daddr.a4 = htonl(0x0b000000 + (i << 8));
		assert_int_equal(add(&table, &info, true), 0);
	}
	assert_int_equal(table.count, 4000);
	for (unsigned int i = 0; i < 4000; i += 199) {
		snprintf(peer, sizeof(peer), "11.%u.%u.15", i / 256, i % 256);
		assert_true(has(&table, "10.0.0.1", peer, 80));
		snprintf(peer, sizeof(peer), "11.%u.%u.16", i / 256, i % 256);
		assert_int_equal(has(&table, "10.0.0.1", peer, 80), i % 2);
	}
	smc_xfrm_free(&table);
}
