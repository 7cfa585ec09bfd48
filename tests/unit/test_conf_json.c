// SPDX-License-Identifier: MIT
/* lib/conf: settings as JSON and back, and what is wrong with such a file. */
#include "test.h"

#include <errno.h>

#include "conf/json.h"
#include "conf/read.h"

static int read_text(struct conf *conf, const char *text, struct smc_err *err)
{
	char *copy = strdup(text);
	int ret;

	assert_non_null(copy);
	ret = conf_read_text(conf, copy, strlen(copy), "x.json", err);
	free(copy);
	return ret;
}

/* Of a file; to be freed. */
static char *as_lines(const char *text)
{
	struct out_text out = { 0 };
	struct smc_err err;
	struct conf conf;

	if (read_text(&conf, text, &err))
		fail_msg("%s: %s", text, err.text);
	conf_write(&out, &conf);
	out_char(&out, '\0');
	conf_free(&conf);
	return out.data;
}

static char *as_json(const char *text)
{
	struct smc_err err;
	struct conf conf;
	json_t *json;
	char *dump;

	assert_int_equal(read_text(&conf, text, &err), 0);
	json = conf_json(&conf);
	dump = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	conf_free(&conf);
	return dump;
}

/* Lines are this JSON, which is those lines. */
static void is_json(const char *lines, const char *json)
{
	char *dump = as_json(lines), *first = as_lines(lines), *again = as_lines(dump);

	assert_string_equal(dump, json);
	assert_string_equal(again, first);
	free(dump);
	free(first);
	free(again);
}

#define HEAD "{\"schema\":\"smc-tools/conf/1\""

static void round_trip(void **state)
{
	(void)state;
	is_json("", HEAD "}");
	is_json("netns empty\n", HEAD "}");
	is_json("eid B A\nseid off\nhandshake-limit on\n",
		HEAD ",\"eid\":[\"B\",\"A\"],\"seid\":false,\"handshake-limit\":true}");
	is_json("net.smc.wmem 16384\nnet.smc.rmem 131072\n",
		HEAD ",\"sysctl\":{\"net.smc.wmem\":16384,\"net.smc.rmem\":131072}}");
	is_json("pnetid n net e\\x23\\xc4 device mlx5_0 port 2 bus 0000:3b:00.0 mac "
		"02:00:00:00:00:01\n",
		HEAD ",\"pnetid\":[{\"id\":\"N\",\"net\":\"e#\\\\xc4\"},{\"id\":\"N\",\"device\":"
		     "\"mlx5_0\",\"port\":2},{\"id\":\"N\",\"bus\":\"0000:3b:00.0\"},{\"id\":\"N\","
		     "\"mac\":\"02:00:00:00:00:01\"}]}");
	is_json("scope /a\nscope /b\\x23 user x only ipv4\n"
		"scope /c exclude-comm b exclude-comm a\n",
		HEAD ",\"scope\":[{\"cgroup\":\"/a\"},"
		     "{\"cgroup\":\"/b#\",\"only\":\"ipv4\",\"user\":\"x\"},"
		     "{\"cgroup\":\"/c\",\"exclude-comm\":[\"a\",\"b\"]}]}");
	is_json("allow 10.0.0.0/8 fd00::/8\nallow from 10.0.0.0/8:80\n"
		"deny to [fd00::1]:80-90\ndeny 10.1.0.0/16\ndeny port 22,443,8000-8100\n"
		"learn 90m\nby nft\n",
		HEAD ",\"deny_port\":[22,443,\"8000-8100\"],\"deny\":[\"10.1.0.0/16\"],"
		     "\"deny_to\":[\"[fd00::1]:80-90\"],\"allow\":[\"10.0.0.0/8\",\"fd00::/8\"],"
		     "\"allow_from\":[\"10.0.0.0/8:80\"],\"learn\":\"90m\",\"by\":\"nft\"}");
	is_json("exclusive eid policy\nnetns a\nexclusive\nnetns *\ndeny port 1\n"
		"netns b\\x20c\\xc4\nhandshake-limit off\n",
		HEAD ",\"exclusive\":[\"eid\",\"policy\"],\"netns\":{\"a\":{\"exclusive\":true},"
		     "\"*\":{\"deny_port\":[1]},\"b c\\\\xc4\":{\"handshake-limit\":false}}}");
}

static void becomes(const char *json, const char *expected)
{
	char *lines = as_lines(json);

	assert_string_equal(lines, expected);
	free(lines);
}

static void good(void **state)
{
	(void)state;
	becomes(" \t\r\n{}", "");
	becomes("{\"eid\": [], \"deny_port\": [], \"pnetid\": [], \"netns\": {\"a\": {}}}", "");
	/* An object is a line: it may have several devices. */
	becomes("{\"pnetid\": [{\"port\": 2, \"device\": \"d\", \"net\": \"e\", \"id\": \"n\"}]}",
		"pnetid N net e\npnetid N device d port 2\n");
	becomes("{\"scope\": [{\"cgroup\": \"/a\", \"user\": 3, \"only\": \"ipv6\"}]}",
		"scope /a only ipv6 user 3\n");
	becomes("{\"deny_port\": [\"22,23\", 22]}", "deny port 22-23\n");
	becomes("{\"netns\": {\"a\": {\"handshake-limit\": true}}, \"eid\": [\"A\"]}",
		"eid A\n\nnetns a\nhandshake-limit on\n\nhost\n");
}

static const struct {
	const char *json, *error;
} wrong[] = {
	{ "{\"eid\":\n", "x.json:2: not JSON: unexpected token near end of file" },
	{ "{} x", "x.json:1: not JSON: end of file expected near 'x'" },
	{ "{\"eid\":[],\"eid\":[]}", "x.json:1: not JSON: duplicate object key" },
	{ "{\"eids\":1}", "x.json:.: eids: expected schema, include, exclusive, eid, " },
	{ "{\"schema\":\"smc-tools/conf/2\"}",
	  "x.json:.schema: \"smc-tools/conf/2\": expected smc-tools/conf/1" },
	{ "{\"eid\":\"A\"}", "x.json:.eid: \"A\": expected a list" },
	{ "{\"eid\":[\"A\",\"b\"]}", "x.json:.eid[1]: b: lower case is not allowed: try B" },
	{ "{\"eid\":[\"\"]}", "x.json:.eid[0]: \"\": expected a string" },
	{ "{\"eid\":[1]}", "x.json:.eid[0]: 1: expected a string" },
	{ "{\"seid\":\"on\"}", "x.json:.seid: \"on\": expected true or false" },
	{ "{\"sysctl\":[]}", "x.json:.sysctl: []: expected an object" },
	{ "{\"sysctl\":{\"eid\":1}}", "x.json:.sysctl.eid: eid: expected net.smc.rmem" },
	{ "{\"sysctl\":{\"net.smc.x\":1}}",
	  "x.json:.sysctl.net.smc.x: net.smc.x: not a number of net.smc" },
	{ "{\"sysctl\":{\"net.smc.rmem\":1}}",
	  "x.json:.sysctl.net.smc.rmem: 1: expected a number from 16384 to" },
	{ "{\"sysctl\":{\"net.smc.rmem\":-1}}",
	  "x.json:.sysctl.net.smc.rmem: -1: expected a number from 16384 to" },
	{ "{\"sysctl\":{\"net.smc.rmem\":70000.0}}",
	  "x.json:.sysctl.net.smc.rmem: 70000.0: expected a number" },
	{ "{\"pnetid\":[3]}", "x.json:.pnetid[0]: 3: expected an object" },
	{ "{\"pnetid\":[{\"net\":\"x\"}]}", "x.json:.pnetid[0]: {\"net\":\"x\"}: expected "
					    "\"id\" in it" },
	{ "{\"pnetid\":[{\"id\":\"A\"}]}", "x.json:.pnetid[0]: nothing more: expected net" },
	{ "{\"pnetid\":[{\"id\":\"A\",\"nic\":\"x\"}]}", "x.json:.pnetid[0]: nic: expected "
							 "id, net, bus, mac, device, port" },
	{ "{\"pnetid\":[{\"id\":\"A\",\"device\":\"x\",\"port\":\"1\"}]}",
	  "x.json:.pnetid[0].port: \"1\": expected a number" },
	{ "{\"pnetid\":[{\"id\":\"A\",\"device\":\"x\",\"port\":3}]}",
	  "x.json:.pnetid[0]: 3: expected port 1 or 2" },
	{ "{\"pnetid\":[{\"id\":\"A\",\"net\":\"x\"},{\"id\":\"B\",\"net\":\"x\"}]}",
	  "x.json:.pnetid[1]: x: contradicts x.json:.pnetid[0]" },
	{ "{\"scope\":[{\"cgroup\":\"a\"}]}", "x.json:.scope[0]: a: expected the path" },
	{ "{\"scope\":[{\"cgroup\":\"/a\",\"exclude-comm\":\"b\"}]}",
	  "x.json:.scope[0].exclude-comm: \"b\": expected a list" },
	{ "{\"scope\":[{\"cgroup\":\"/a\",\"exclude-comm\":[\"1\",\"2\",\"3\",\"4\",\"5\","
	  "\"6\",\"7\",\"8\",\"9\",\"10\",\"11\",\"12\"]}]}",
	  "x.json:.scope[0].exclude-comm: exclude-comm: one too many" },
	{ "{\"deny\":[\"port\"]}", "x.json:.deny[0]: port: expected ports behind it" },
	{ "{\"deny_port\":[true]}", "x.json:.deny_port[0]: true: expected a number or a" },
	{ "{\"deny_port\":[65536]}", "x.json:.deny_port[0]: 65536: expected ports from 1" },
	{ "{\"learn\":3600}", "x.json:.learn: 3600: expected a string" },
	{ "{\"by\":\"me\"}", "x.json:.by: me: expected nft or bpf" },
	{ "{\"exclusive\":[]}", "x.json:.exclusive: []: expected true, or a list of" },
	{ "{\"exclusive\":[\"x\"]}", "x.json:.exclusive[0]: x: expected eid, seid" },
	{ "{\"include\":[\"/etc\"]}", "x.json:.include[0]: include: only files can" },
	{ "{\"netns\":{\"a/b\":{}}}", "x.json:.netns.a/b: a/b: expected the name of" },
	{ "{\"netns\":{\"a\":{\"eid\":[]}}}", "x.json:.netns.a: eid: expected exclusive, " },
	{ "{\"netns\":{\"a\":1}}", "x.json:.netns.a: 1: expected an object" },
};

static void bad(void **state)
{
	struct smc_err err;
	struct conf conf;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(read_text(&conf, wrong[i].json, &err), -EINVAL);
		if (strncmp(err.text, wrong[i].error, strlen(wrong[i].error)))
			fail_msg("%s: %s", wrong[i].json, err.text);
		assert_null(conf.items);
		assert_null(conf.strings);
	}
}

static void places(void **state)
{
	char text[CONF_PLACE_SIZE];
	struct smc_err err;
	struct conf conf;

	(void)state;
	assert_int_equal(read_text(&conf,
				   "{\"eid\":[\"A\",\"B\"],"
				   "\"netns\":{\"n\":{\"by\":\"nft\"}}}",
				   &err),
			 0);
	assert_string_equal(conf_place_text(text, &conf.items[1].place), "x.json:.eid[1]");
	assert_string_equal(conf_place_text(text, &conf.sections[1].policy_place),
			    "x.json:.netns.n.by");
	conf_free(&conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
