// SPDX-License-Identifier: MIT
/* The table of a policy: commands for nft, and parsing its listing. */
#include "said.h"

#include "settings/policy.h"

#define RULE(chain, comment, packets)                                                              \
	"{\"rule\": {\"chain\": \"" chain "\", \"comment\": \"" comment                            \
	"\", \"expr\": [{\"match\": {}}, {\"counter\": {\"packets\": " packets                     \
	", \"bytes\": 9}}, {\"return\": null}]}}"
#define LINE(line) "{\"rule\": {\"chain\": \"lines\", \"comment\": \"" line "\"}}"
#define DOC(items) "{\"nftables\": [{\"metainfo\": {}}, " items "]}"

static int append(void *text, const char *item)
{
	out_printf(text, "%s\n", item);
	return 0;
}

static void assert_text(const struct policy *policy, const char *want)
{
	struct out_text text = { 0 };

	policy_each(policy, append, &text);
	assert_string_equal(said(&text), want);
}

TEST(comments_are_lines)
{
	/* clang-format off */
	static const char json[] = DOC(
		LINE("deny port 8000-8100") "," LINE("deny port 22") ","
		LINE("deny to 10.9.0.7:5432") "," LINE("allow fd00::/8") ","
		LINE("allow 10.0.0.0/8") ",{\"rule\": {\"chain\": \"to\", \"expr\": []}},"
		RULE("to_rules", "ports", "4") "," RULE("to_rules", "0", "3") ","
		RULE("to_rules", "1", "2") "," RULE("to_rules", "1 others", "1") ","
		RULE("from_rules", "ports", "1") "," RULE("from_rules", "1", "5") ","
		RULE("from_rules", "1 others", "6"));
	/* clang-format on */
	struct policy policy = { 0 };

	assert_int_equal(policy_nft_parse(&policy, json), 0);
	assert_text(&policy, "deny port 8000-8100\ndeny port 22\ndeny to 10.9.0.7:5432\n"
			     "allow fd00::/8\nallow 10.0.0.0/8\n");
	assert_int_equal(policy.port_hits, 5);
	assert_int_equal(policy.rules[0].hits, 3);
	assert_int_equal(policy.rules[1].hits, 7);
	assert_int_equal(policy.rules[1].others, 7);
	policy_free(&policy);
}

TEST(tables_of_others_are_refused)
{
	static const char *const docs[] = {
		"",
		"[]",
		"{}",
		DOC(LINE("hello")),
		DOC(LINE(" ")),
		DOC(LINE("deny 10.0.0.0/33")),
		DOC(LINE("deny 10.0.0.0/8") "," RULE("x", "64", "0")),
		DOC(LINE("deny 10.0.0.0/8") "," RULE("x", "1", "0")),
		DOC(LINE("deny 10.0.0.0/8") "," RULE("x", "0 other", "0")),
		DOC(LINE("deny 10.0.0.0/8") "," RULE("x", "hello", "0")),
	};

	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct policy policy = { 0 };

		assert_int_equal(policy_nft_parse(&policy, docs[i]), -EPROTO);
		policy_free(&policy);
	}
}

/* A table of an older version, for example, is replaced. */
TEST(a_table_without_lines_is_empty)
{
	struct policy policy = { 0 };

	assert_int_equal(policy_nft_parse(&policy, DOC(RULE("to_rules", "0 0-65535 deny", "1"))),
			 0);
	assert_true(policy_is_empty(&policy));
}

TEST(an_empty_policy_removes)
{
	struct out_text text = { 0 };
	struct policy policy = { 0 };

	policy_nft_script(&text, &policy);
	assert_string_equal(said(&text), "add table inet smc-tools\ndelete table inet smc-tools\n");
}
