// SPDX-License-Identifier: MIT
/* SMC_INCLUDE and SMC_EXCLUDE: syntax of the lists, and matching connections. */
#include "test.h"

#include "launch/rules.h"

static bool allows(const struct rules *rules, bool is_listen, const char *host, int port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = in.sin_port };

	if (inet_pton(AF_INET, host, &in.sin_addr) == 1)
		return rules_allow(rules, is_listen, (struct sockaddr *)&in, sizeof(in));
	assert_int_equal(inet_pton(AF_INET6, host, &in6.sin6_addr), 1);
	return rules_allow(rules, is_listen, (struct sockaddr *)&in6, sizeof(in6));
}

static struct rules parsed(const char *include, const char *exclude)
{
	struct rules rules = { 0 };
	const char *bad;

	assert_int_equal(rules_parse(&rules, false, include, &bad), 0);
	assert_int_equal(rules_parse(&rules, true, exclude, &bad), 0);
	return rules;
}

TEST(nothing_said_is_smc_for_all)
{
	struct rules rules = parsed("", " ,, ");

	assert_int_equal(rules.count, 0);
	assert_true(allows(&rules, false, "10.0.0.1", 80));
	assert_true(allows(&rules, true, "::", 80));
}

TEST(include_is_all_there_is)
{
	struct rules rules = parsed("6379,9000-9002", "");

	assert_true(allows(&rules, false, "10.0.0.1", 6379));
	assert_true(allows(&rules, false, "fd00::1", 6379));
	assert_true(allows(&rules, false, "10.0.0.1", 9000));
	assert_true(allows(&rules, false, "10.0.0.1", 9002));
	assert_false(allows(&rules, false, "10.0.0.1", 9003));
	assert_false(allows(&rules, false, "10.0.0.1", 8999));
	assert_false(allows(&rules, true, "0.0.0.0", 6379));
}

TEST(exclude_wins)
{
	struct rules rules = parsed("10.0.0.0/8", "10.1.0.0/16:22");

	assert_true(allows(&rules, false, "10.1.2.3", 80));
	assert_false(allows(&rules, false, "10.1.2.3", 22));
	assert_true(allows(&rules, false, "10.2.2.3", 22));
	assert_false(allows(&rules, false, "11.2.2.3", 22));
}

TEST(exclude_alone_leaves_the_rest)
{
	struct rules rules = parsed("", "listen:8080 listen:127.0.0.0/8");

	assert_true(allows(&rules, false, "10.1.2.3", 8080));
	assert_false(allows(&rules, true, "0.0.0.0", 8080));
	assert_true(allows(&rules, true, "0.0.0.0", 80));
	assert_false(allows(&rules, true, "127.0.0.1", 80));
}

TEST(listen_alone_is_every_listener)
{
	struct rules rules = parsed("listen", "");

	assert_true(allows(&rules, true, "::1", 1));
	assert_false(allows(&rules, false, "::1", 1));
}

TEST(prefixes_count_bits)
{
	struct rules rules = parsed("10.0.0.128/25:80,[fd00:8000::]/17:*", "");

	assert_true(allows(&rules, false, "10.0.0.200", 80));
	assert_false(allows(&rules, false, "10.0.0.127", 80));
	assert_true(allows(&rules, false, "fd00:ffff::9", 1));
	assert_false(allows(&rules, false, "fd00:7fff::9", 1));
}

TEST(families_are_apart_and_mapped_is_v4)
{
	struct rules rules = parsed("10.0.0.1", "");

	assert_true(allows(&rules, false, "::ffff:10.0.0.1", 80));
	rules = parsed("0.0.0.0/0:80", "");
	assert_false(allows(&rules, false, "fd00::1", 80));
	rules = parsed("[::]/0:80", "");
	assert_true(allows(&rules, false, "fd00::1", 80));
	assert_false(allows(&rules, false, "10.0.0.1", 80));
	assert_false(allows(&rules, false, "::ffff:10.0.0.1", 80));
}

TEST(other_addresses_are_not_its_business)
{
	struct rules rules = parsed("80", "");
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr any = { .sa_family = AF_UNIX };

	assert_true(rules_allow(&rules, false, &any, sizeof(any)));
	assert_true(rules_allow(&rules, false, (struct sockaddr *)&in, 4));
}

static void check_junk(const char *const *junk)
{
	for (; *junk; junk++) {
		struct rules rules = { 0 };
		const char *bad = NULL;

		if (!rules_parse(&rules, false, *junk, &bad))
			fail_msg("'%s' is not a list", *junk);
		assert_int_equal(rules.count, 0);
		assert_false(rules.has_include);
		assert_string_equal(bad, strchr(*junk, ',') ? "x" : *junk);
	}
}

#define JUNK(...) check_junk((const char *const[]){ __VA_ARGS__, NULL })

TEST(junk_is_refused_whole)
{
	JUNK("x", "80,x", "0", "65536", "80-", "-80", "90-80", "80-65536", "80x",
	     "99999999999999999999", "listen80", "listen:", "listening", "10.0.0.1:", "10.0.0.1/",
	     "10.0.0.1/33", "10.0.0.1/a", "10.0.0.1/8/8", "10.0.0.1:0", "10.0.0:80", "10.0.0.256",
	     "fd00::1:x", "[fd00::1", "[fd00::1]x", "[]", "[fd00::1]/129", "[::ffff:10.0.0.1]:80",
	     "[10.0.0.1]", "*:", "**", ":80",
	     "[11111111111111111111111111111111111111111111111111]");
}

TEST(as_many_as_there_is_room_for)
{
	struct rules rules = { 0 };
	char text[RULES_MAX * 2 + 8];
	const char *bad;

	for (int i = 0; i < RULES_MAX; i++)
		memcpy(text + i * 2, "1,", 3);
	assert_int_equal(rules_parse(&rules, false, text, &bad), 0);
	assert_int_equal(rules.count, RULES_MAX);
	assert_int_equal(rules_parse(&rules, true, "7", &bad), -E2BIG);
	assert_string_equal(bad, "7");
	assert_int_equal(rules.count, RULES_MAX);
}

/* The last matching address and port of an item, and the next one. */
TEST(items_end_where_they_say)
{
	static const struct {
		const char *item, *host;
		int port;
		bool is_allowed;
	} rows[] = {
		{ "10.0.0.1", "10.0.0.1", 80, true },
		{ "10.0.0.1", "10.0.0.0", 80, false },
		{ "10.0.0.1/32", "10.0.0.1", 80, true },
		{ "10.0.0.1/32", "10.0.0.0", 80, false },
		{ "10.0.0.1/31", "10.0.0.0", 80, true },
		{ "10.0.0.1/31", "10.0.0.2", 80, false },
		{ "10.0.0.1/0", "223.0.0.0", 80, true },
		{ "10.0.0.1/1", "127.0.0.0", 80, true },
		{ "10.0.0.1/1", "128.0.0.0", 80, false },
		{ "[fd00::1]", "fd00::1", 80, true },
		{ "[fd00::1]", "fd00::", 80, false },
		{ "[fd00::1]/128", "fd00::1", 80, true },
		{ "[fd00::1]/128", "fd00::", 80, false },
		{ "[fd00::1]/127", "fd00::", 80, true },
		{ "[fd00::1]/127", "fd00::2", 80, false },
		{ "[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]",
		  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 80, true },
		{ "80-80", "::1", 80, true },
		{ "80-80", "::1", 81, false },
		{ "80-80", "::1", 79, false },
		{ "1-65535", "::1", 1, true },
		{ "1-65535", "::1", 65535, true },
		{ "1-65535", "::1", 0, false },
		{ "2", "::1", 1, false },
		{ "65535", "::1", 65534, false },
		{ "*", "::1", 0, true },
		{ "*", "::1", 65535, true },
		{ "10.0.0.1", "10.0.0.1", 0, true },
		{ "10.0.0.1:*", "10.0.0.1", 65535, true },
		{ "10.0.0.9:80", "10.0.0.9", 80, true },
		{ "10.0.0.9:80", "10.0.0.9", 81, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rules rules = parsed(rows[i].item, "");

		if (allows(&rules, false, rows[i].host, rows[i].port) != rows[i].is_allowed)
			fail_msg("%s: %s, port %d", rows[i].item, rows[i].host, rows[i].port);
	}
}

TEST(lists_are_cut_at_blanks_and_commas)
{
	static const char *const lists[] = {
		"80,90", "80 90", "80\t90", "80\n90", " \t\n,80,,90, ", "80 , listen 90",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct rules rules = parsed(lists[i], "");

		assert_true(rules.has_include);
		assert_true(allows(&rules, false, "10.0.0.1", 80));
		assert_true(allows(&rules, false, "10.0.0.1", 90));
		assert_false(allows(&rules, false, "10.0.0.1", 85));
	}
}

/* Both lists, one after the other, in either order; a refused one changes nothing. */
TEST(lists_add_up)
{
	struct rules rules = parsed("80", "90"), before;
	const char *bad;

	assert_int_equal(rules_parse(&rules, false, "70", &bad), 0);
	assert_int_equal(rules_parse(&rules, true, "", &bad), 0);
	assert_int_equal(rules.count, 3);
	assert_true(allows(&rules, false, "::1", 70) && allows(&rules, false, "::1", 80));
	assert_false(allows(&rules, false, "::1", 90) || allows(&rules, false, "::1", 60));
	before = rules;
	assert_int_equal(rules_parse(&rules, false, "60 x", &bad), -EINVAL);
	assert_string_equal(bad, "x");
	assert_int_equal(rules.count, before.count);
	assert_false(allows(&rules, false, "::1", 60));
	rules = parsed("", "90");
	assert_false(rules.has_include);
	assert_int_equal(rules_parse(&rules, false, "x", &bad), -EINVAL);
	assert_false(rules.has_include);
	assert_true(allows(&rules, false, "::1", 60));
}

/* A truncated address is no address; the end of an IPv6 one may be missing. */
TEST(short_addresses_are_not_its_business)
{
	struct rules rules = parsed("81", "");
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(80) };
	struct sockaddr_storage other = { .ss_family = AF_UNIX };
	const struct sockaddr *v4 = (struct sockaddr *)&in, *v6 = (struct sockaddr *)&in6;

	for (socklen_t len = 2; len < sizeof(in); len++)
		assert_true(rules_allow(&rules, false, v4, len));
	assert_false(rules_allow(&rules, false, v4, sizeof(in)));
	for (socklen_t len = 2; len < 24; len++)
		assert_true(rules_allow(&rules, false, v6, len));
	assert_false(rules_allow(&rules, false, v6, 24));
	assert_false(rules_allow(&rules, false, v6, sizeof(in6)));
	assert_true(rules_allow(&rules, false, (struct sockaddr *)&other, sizeof(other)));
}
