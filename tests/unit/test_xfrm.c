// SPDX-License-Identifier: MIT
/* lib/smc/xfrm: which connections an IPsec policy is for. */
#include "test.h"

#include <errno.h>
#include <linux/xfrm.h>

#include "smc/xfrm.h"

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
		.dir = XFRM_POLICY_OUT, .action = XFRM_POLICY_ALLOW,
		.sel = { .family = AF_INET, .prefixlen_s = 32, .prefixlen_d = 20,
			 .dport = htons(80), .dport_mask = 0xffff, .proto = 6 },
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

static void matches(void **state)
{
	struct smc_xfrm_table table = { 0 };
	struct xfrm_userpolicy_info info = policy();

	(void)state;
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

static void others(void **state)
{
	struct smc_xfrm_table table = { 0 };
	struct xfrm_userpolicy_info info = policy();
	struct message m;

	(void)state;
	assert_int_equal(add(&table, &info, false), 0);
	info.dir = XFRM_POLICY_IN;
	assert_int_equal(add(&table, &info, true), 0);
	info = policy();
	info.action = XFRM_POLICY_BLOCK;
	assert_int_equal(add(&table, &info, true), 0);
	assert_int_equal(table.count, 0);
	info = policy();
	info.sel.proto = 17;
	assert_int_equal(add(&table, &info, true), 0);
	assert_false(has(&table, "10.0.0.1", "10.1.16.1", 80));
	message_start(&m, XFRM_MSG_NEWPOLICY);
	message_put(&m, &info, sizeof(info) - 1);
	assert_int_equal(smc_xfrm_add(&m.nlh, &table), -EBADMSG);
	smc_xfrm_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(matches), cmocka_unit_test(others) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
