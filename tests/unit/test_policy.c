// SPDX-License-Identifier: MIT
/* Lines of a policy: meaning, normal form, errors. */
#include "said.h"

#include "smc_conf/smc_conf.h"

#define WORDS_MAX 16

/* Add one line, split at blanks. Return: value of policy_line(). */
static int add(struct policy *policy, const char *line, size_t *bad, struct smc_err *err)
{
	char copy[400], *words[WORDS_MAX], *rest = copy;
	size_t count = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	while (count < WORDS_MAX && (words[count] = strsep(&rest, " ")))
		count++;
	return policy_line(policy, (const char *const *)words, count, bad, err);
}

/* Parse valid lines separated by ';'. */
static struct policy read_lines(const char *lines)
{
	char copy[2000], *rest = copy, *line;
	struct policy policy = { 0 };
	struct smc_err err;
	size_t bad;

	snprintf(copy, sizeof(copy), "%s", lines);
	while ((line = strsep(&rest, ";")))
		assert_int_equal(add(&policy, line, &bad, &err), 0);
	policy_settle(&policy);
	return policy;
}

static void assert_written(const char *lines, const char *want)
{
	struct policy policy = read_lines(lines);
	struct out_text text = { 0 };

	policy_write(&text, &policy);
	assert_string_equal(said(&text), want);
	policy_free(&policy);
}

static void assert_wrong(const char *line, size_t bad_word, const char *part)
{
	struct policy policy = { 0 };
	struct smc_err err = { 0 };
	size_t bad = 99;

	assert_int_equal(add(&policy, line, &bad, &err), -EINVAL);
	assert_int_equal(bad, bad_word);
	assert_non_null(strstr(err.text, part));
	policy_free(&policy);
}

TEST(lines_keep_their_meaning)
{
	assert_written("allow fd00::/8 10.0.0.0/8;deny port 443,22;deny to 10.9.0.7:5432;"
		       "deny from 10.8.0.0/16 [fd00::1]",
		       "deny port 22\ndeny port 443\ndeny to 10.9.0.7:5432\n"
		       "deny from 10.8.0.0/16\ndeny from fd00::1\n"
		       "allow 10.0.0.0/8\nallow fd00::/8\n");
	assert_written("deny [fd00::]/8:80-90", "deny [fd00::]/8:80-90\n");
	assert_written("deny 0.0.0.0/0 ::/0", "deny 0.0.0.0/0\ndeny ::/0\n");
}

TEST(lines_are_sorted)
{
	assert_written("allow 10.1.0.0/16;allow 10.0.0.0/8",
		       "allow 10.0.0.0/8\nallow 10.1.0.0/16\n");
	assert_written("allow 10.0.0.3 10.0.0.0/31 10.0.0.3/32",
		       "allow 10.0.0.0/31\nallow 10.0.0.3\n");
	assert_written("allow fd00::1 fd00:0::1/128 10.0.0.1", "allow 10.0.0.1\nallow fd00::1\n");
	assert_written("deny port 81 80;deny port 82-90,70,80",
		       "deny port 70\ndeny port 80\ndeny port 81\ndeny port 82-90\n");
	assert_written("allow to 10.0.0.1;allow from 10.0.0.1;allow 10.0.0.1",
		       "allow 10.0.0.1\nallow to 10.0.0.1\nallow from 10.0.0.1\n");
}

TEST(wrong_words)
{
	assert_wrong("allow", 0, "networks");
	assert_wrong("allow to", 1, "networks");
	assert_wrong("deny port", 1, "ports");
	assert_wrong("allow port 80", 1, "network");
	assert_wrong("allow 10.0.0.0/8 10.0.0.300", 2, "10.0.0.0/8");
	assert_wrong("allow 10.0.0.0/33", 1, "network");
	assert_wrong("allow 10.0.0.0/", 1, "network");
	assert_wrong("allow 10.0.0.0/8x", 1, "network");
	assert_wrong("allow 10.1.0.0/8", 1, "the network is 10.0.0.0/8");
	assert_wrong("allow fd00::1/8", 1, "the network is fd00::/8");
	assert_wrong("allow fd00::/129", 1, "network");
	assert_wrong("allow [fd00::", 1, "network");
	assert_wrong("allow [fd00::]x", 1, "network");
	assert_wrong("allow ::ffff:10.0.0.1", 1, "IPv4");
	assert_wrong("allow ::ffff:0:0/96", 1, "IPv4");
	assert_wrong("allow host.example", 1, "network");
	assert_wrong("deny to 10.0.0.1:", 2, "port");
	assert_wrong("deny to 10.0.0.1:0", 2, "port");
	assert_wrong("deny to 10.0.0.1:65536", 2, "port");
	assert_wrong("deny to 10.0.0.1:90-80", 2, "port");
	assert_wrong("deny to 10.0.0.1:80,90", 2, "port");
	assert_wrong("deny to fd00::1:80/128:80", 2, "network");
	assert_wrong("deny port 22,", 2, "ports");
	assert_wrong("deny port 22,,23", 2, "ports");
	assert_wrong("deny port http", 2, "ports");
	assert_wrong("deny port 99999999999999999999", 2, "ports");
}

TEST(combinations_are_limited)
{
	struct policy policy = { 0 };
	struct smc_err err = { 0 };
	char line[64];
	size_t bad;

	for (int i = 1; i <= POLICY_RULES_MAX; i++) {
		snprintf(line, sizeof(line), "deny to 10.0.0.1:%d", i);
		assert_int_equal(add(&policy, line, &bad, &err), 0);
	}
	assert_int_equal(add(&policy, "deny to 10.0.0.1:1000", &bad, &err), -EINVAL);
	assert_int_equal(bad, 2);
	assert_int_equal(add(&policy, "deny to 10.0.0.2:1", &bad, &err), 0);
	policy_free(&policy);
}

static void note(void *arg, char sign, const char *line)
{
	char *text = arg;
	size_t len = strlen(text);

	snprintf(text + len, 400 - len, "%c%s;", sign, line);
}

static void assert_diff(const char *now, const char *wanted, const char *want)
{
	struct policy a = read_lines(now), b = read_lines(wanted), again = { 0 };
	struct out_text from = { 0 }, to = { 0 };
	char text[400] = "";

	policy_write(&from, &a);
	policy_write(&to, &b);
	out_char(&from, '\0');
	policy_diff(from.data, said(&to), note, text);
	assert_string_equal(text, want);
	policy_read(&again, from.data);
	policy_write(&to, &again);
	assert_string_equal(said(&to), from.data);
	policy_free(&a);
	policy_free(&b);
	policy_free(&again);
	out_free(&from);
}

TEST(differences)
{
	assert_diff("allow 10.0.0.0/8 10.9.0.0/16", "allow 10.9.0.0/16;allow 10.0.0.0/8", "");
	assert_diff("deny port 22", "deny port 23;deny to [::1]:22",
		    "-deny port 22;+deny port 23;+deny to [::1]:22;");
}

TEST(as_json)
{
	struct policy policy = read_lines("deny port 22;allow from 10.0.0.0/8:80");

	policy.port_hits = 5;
	policy.rules[0].hits = 7;
	policy.rules[0].others = 3;
	assert_string_equal(json_said(policy_json(&policy)),
			    "{'denied_ports':[{'first':22,'last':22}],"
			    "'denied_ports_hits':5,'rules':[{'action':'allow','direction':'from',"
			    "'first_port':80,'last_port':80,'networks':['10.0.0.0/8'],'hits':7,"
			    "'others_denied':3}]}");
	policy_free(&policy);
}
