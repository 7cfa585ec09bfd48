// SPDX-License-Identifier: MIT
/* The table of a policy: commands for nft, and parsing its listing. */
#include "said.h"

#include "settings/nft.h"

#define RULE(comment, packets)                                                                     \
	"{\"rule\": {\"chain\": \"x\", \"comment\": \"" comment "\", \"expr\": [{\"match\": {}}, " \
	"{\"counter\": {\"packets\": " packets ", \"bytes\": 9}}, {\"return\": null}]}}"
#define SET(name, more) "{\"set\": {\"name\": \"" name "\", " more "}}"
#define DOC(items) "{\"nftables\": [{\"metainfo\": {}}, " items "]}"

static void assert_text(const struct policy *policy, const char *want)
{
	struct out_text text = { 0 };

	policy_write(&text, policy);
	assert_string_equal(said(&text), want);
}

TEST(sets_and_rules_are_lines)
{
	/* clang-format off */
	static const char json[] = DOC(
		SET("ports", "\"elem\": [22, {\"range\": [8000, 8100]}]") ","
		SET("r0v4", "\"elem\": [\"10.9.0.7\"]") ","
		SET("r1v4", "\"elem\": [{\"prefix\": {\"addr\": \"10.0.0.0\", \"len\": 8}}]") ","
		SET("r1v6", "\"elem\": [{\"prefix\": {\"addr\": \"fd00::\", \"len\": 8}}]") ","
		SET("another", "\"timeout\": 60") ",{\"rule\": {\"chain\": \"to\", \"expr\": []}},"
		RULE("ports", "4") "," RULE("0 5432-5432 deny to", "3") ","
		RULE("1 0-65535 allow", "2") "," RULE("1 others", "1") "," RULE("ports", "1") ","
		RULE("1 0-65535 allow", "5") "," RULE("1 others", "6"));
	/* clang-format on */
	struct policy policy = { 0 };

	assert_int_equal(policy_nft_parse(&policy, json), 0);
	assert_text(&policy, "deny port 22,8000-8100\ndeny to 10.9.0.7:5432\n"
			     "allow 10.0.0.0/8 fd00::/8\n");
	assert_int_equal(policy.port_hits, 5);
	assert_int_equal(policy.rules[0].hits, 3);
	assert_int_equal(policy.rules[1].hits, 7);
	assert_int_equal(policy.rules[1].others, 7);
	policy_free(&policy);
}

static void assert_range(const char *from, const char *to, const char *want)
{
	struct policy policy = { 0 };
	char json[600], line[300];

	snprintf(json, sizeof(json),
		 DOC(SET("r0v4", "\"elem\": [{\"range\": [\"%s\", \"%s\"]}]") "," RULE(
			 "0 0-65535 deny", "0")),
		 from, to);
	assert_int_equal(policy_nft_parse(&policy, json), 0);
	snprintf(line, sizeof(line), "deny %s\n", want);
	assert_text(&policy, line);
	policy_free(&policy);
}

TEST(ranges_are_networks)
{
	assert_range("10.0.0.0", "10.255.255.255", "10.0.0.0/8");
	assert_range("10.0.0.1", "10.0.0.4", "10.0.0.1 10.0.0.2/31 10.0.0.4");
	assert_range("11.0.1.0", "11.0.3.255", "11.0.1.0/24 11.0.2.0/23");
	assert_range("0.0.0.0", "255.255.255.255", "0.0.0.0/0");
	assert_range("255.255.255.255", "255.255.255.255", "255.255.255.255");
	assert_range("fd00::", "fd00::2", "fd00::/127 fd00::2");
	assert_range("::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "::/0");
}

TEST(tables_of_others_are_refused)
{
	static const char *const docs[] = {
		"",
		"[]",
		"{}",
		DOC(RULE("hello", "0")),
		DOC(RULE("64 0-65535 deny", "0")),
		DOC(RULE("0 2-1 deny", "0")),
		DOC(RULE("0 1-65536 deny", "0")),
		DOC(RULE("0 others", "0")),
		DOC(RULE("70 others", "0")),
		DOC(SET("ports", "\"elem\": [0]")),
		DOC(SET("ports", "\"elem\": [\"x\"]")),
		DOC(SET("ports", "\"elem\": [{\"range\": [3, 2]}]")),
		DOC(RULE("0 0-65535 deny", "0") "," SET("r0v4", "\"elem\": [7]")),
		DOC(RULE("0 0-65535 deny", "0") "," SET("r0v4", "\"elem\": [\"x\"]")),
		DOC(RULE("0 0-65535 deny", "0") "," SET(
			"r0v4", "\"elem\": [{\"prefix\": {\"addr\": \"10.0.0.0\", \"len\": 33}}]")),
		DOC(RULE("0 0-65535 deny", "0") "," SET(
			"r0v4", "\"elem\": [{\"range\": [\"10.0.0.2\", \"10.0.0.1\"]}]")),
		DOC(RULE("0 0-65535 deny",
			 "0") "," SET("r0v4", "\"elem\": [{\"range\": [\"10.0.0.2\", \"::1\"]}]")),
	};

	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct policy policy = { 0 };

		assert_int_equal(policy_nft_parse(&policy, docs[i]), -EPROTO);
		policy_free(&policy);
	}
}

TEST(an_empty_policy_removes)
{
	struct out_text text = { 0 };
	struct policy policy = { 0 };

	policy_nft_script(&text, &policy);
	assert_string_equal(said(&text), "add table inet smc-tools\ndelete table inet smc-tools\n");
}
