// SPDX-License-Identifier: MIT
/* The file of "smc_conf drain", and its rules for nft. */
#include "said.h"

#include "base/array.h"

#include "smc_conf/drain.h"

TEST(wrong_lines_are_refused)
{
	static const char *const lines[] = { "nothing",	       "all all",    "10.0.0.1/33",
					     "d net eth0 net", "d bus eth0", "d net eth*",
					     "d net a\"b" };
	struct drains drains = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_false(drain_parse(&drains, lines[i]));
	assert_true(drain_parse(&drains, " # nothing"));
	assert_int_equal(drains.count, 0);
}

static const char *rules(bool is_own)
{
	static struct out_text text;
	struct drains drains = { 0 };

	assert_true(drain_parse(&drains, "10.9.0.7/16") && drain_parse(&drains, "fd00::1") &&
		    drain_parse(&drains, "mlx5_0 device mlx5_0 net eth0 net eth0.5"));
	drain_script(&text, &drains, is_own);
	drains_free(&drains);
	return said(&text);
}

static void assert_has(const char *text, const char *part, bool is_there)
{
	if (!strstr(text, part) == is_there)
		fail_msg("'%s' in %s", part, text);
}

TEST(networks_and_devices_are_rules)
{
	const char *text = rules(true);

	assert_has(text, "\nip daddr 10.9.0.0/16 tcp flags", true);
	assert_has(text, "\nip saddr 10.9.0.0/16 tcp flags", true);
	assert_has(text, "\nip6 daddr fd00::1/128 tcp flags", true);
	assert_has(text, "\noifname \"eth0.5\" tcp flags", true);
	assert_has(text, "\"mlx5_0\"", false);
	assert_has(rules(false), "ifname", false);
}

TEST(all_is_one_rule_and_nothing_is_no_table)
{
	struct out_text text = { 0 };
	struct drains drains = { 0 };

	drain_script(&text, &drains, true);
	assert_has(said(&text), "{", false);
	assert_true(drain_parse(&drains, "all"));
	drain_script(&text, &drains, true);
	assert_has(said(&text), "priority mangle;\ntcp flags", true);
	drains_free(&drains);
}
