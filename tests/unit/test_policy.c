// SPDX-License-Identifier: MIT
/* Lines of a policy: meaning, normal form, errors. */
#include "said.h"

#include "smc_conf/smc_conf.h"

#define WORDS_MAX 16

static int take(void *policy, const char *item)
{
	return policy_add(policy, item);
}

/* Add one line, split at blanks. Return: value of policy_line(). */
static int add(struct policy *policy, const char *line, size_t *bad, struct smc_err *err)
{
	char copy[400], *words[WORDS_MAX], *rest = copy;
	size_t count = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	while (count < WORDS_MAX && (words[count] = strsep(&rest, " ")))
		count++;
	return policy_line((const char *const *)words, count, bad, take, policy, err);
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
	return policy;
}

static int append(void *text, const char *item)
{
	out_printf(text, "%s\n", item);
	return 0;
}

static void assert_written(const char *lines, const char *want)
{
	struct policy policy = read_lines(lines);
	struct out_text text = { 0 };

	policy_each(&policy, append, &text);
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
	assert_written("deny port 443,22;deny to 10.9.0.7:5432;deny from 10.8.0.0/16 [fd00::1];"
		       "allow fd00::/8 10.0.0.0/8",
		       "deny port 443\ndeny port 22\ndeny to 10.9.0.7:5432\n"
		       "deny from 10.8.0.0/16\ndeny from fd00::1\n"
		       "allow fd00::/8\nallow 10.0.0.0/8\n");
	assert_written("deny [fd00::]/8:80-90", "deny [fd00::]/8:80-90\n");
	assert_written("deny 0.0.0.0/0 ::/0", "deny 0.0.0.0/0\ndeny ::/0\n");
	assert_written("allow fd00:0::1/128", "allow fd00::1\n");
	assert_written("deny 10.0.0.1:80-80 10.0.0.1:*", "deny 10.0.0.1:80\ndeny 10.0.0.1\n");
}

TEST(filters_are_lines)
{
	assert_written("allow dport = 6379 and dst 10.0.0.0/8", "allow to 10.0.0.0/8:6379\n");
	assert_written("allow sport 6379 dst 10.0.0.0/8", "allow from 10.0.0.0/8:6379\n");
	assert_written("deny dst fd00::/8 or dst 10.0.0.0/8", "deny fd00::/8\ndeny 10.0.0.0/8\n");
	assert_written("deny dport = 80", "deny to 0.0.0.0/0:80\ndeny to [::]/0:80\n");
	assert_written("deny port = 80", "deny from 0.0.0.0/0:80\ndeny from [::]/0:80\n"
					 "deny to 0.0.0.0/0:80\ndeny to [::]/0:80\n");
}

TEST(wrong_words)
{
	assert_wrong("allow", 0, "networks");
	assert_wrong("allow to", 1, "networks");
	assert_wrong("deny port", 1, "ports");
	assert_wrong("allow port 80,90", 1, "a port");
	assert_wrong("allow 10.0.0.0/8 10.0.0.300", 2, "10.0.0.0/8");
	assert_wrong("allow 10.0.0.0/33", 1, "network");
	assert_wrong("allow 10.0.0.0/", 1, "network");
	assert_wrong("allow 10.0.0.0/8x", 1, "network");
	assert_wrong("allow 10.1.0.0/8", 1, "the network is 10.0.0.0/8");
	assert_wrong("allow fd00::1/8", 1, "the network is fd00::/8");
	assert_wrong("allow fd00::/129", 1, "network");
	assert_wrong("allow [fd00::", 1, "network");
	assert_wrong("allow [fd00::]x", 1, "network");
	assert_wrong("allow ::ffff:10.0.0.1", 1, "network");
	assert_wrong("allow ::ffff:0:0/96", 1, "network");
	assert_wrong("allow host.example", 1, "(port, sport, dport");
	assert_wrong("allow src 10.0.0.1", 1, "'src'");
	assert_wrong("allow sport 1 dport 2", 1, "'dport'");
	assert_wrong("allow mode smcd", 1, "'mode'");
	assert_wrong("allow dst 10.1.0.0/8", 1, "the network is 10.0.0.0/8");
	assert_wrong("deny to 10.0.0.1:", 2, "port");
	assert_wrong("deny to 10.0.0.1:0", 2, "port");
	assert_wrong("deny to 10.0.0.1:65536", 2, "port");
	assert_wrong("deny to 10.0.0.1:90-80", 2, "port");
	assert_wrong("deny to 10.0.0.1:80,90", 2, "port");
	assert_wrong("deny to fd00::1:80/128:80", 2, "network");
	assert_wrong("deny port 22,", 2, "ports");
	assert_wrong("deny port 22,,23", 2, "ports");
	assert_wrong("deny port 99999999999999999999", 2, "ports");
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
