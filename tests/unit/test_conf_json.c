// SPDX-License-Identifier: MIT
/* smc_conf export -j: settings as JSON. */
#include "test.h"

#include "smc_conf/smc_conf.h"

static void is_json(const char *lines, const char *expected)
{
	char *copy = strdup(lines), *dump;
	struct smc_err err;
	struct conf conf;
	json_t *json;

	assert_non_null(copy);
	assert_int_equal(conf_read_text(&conf, copy, strlen(copy), "x", &err), 0);
	json = sc_json(&conf);
	dump = json_dumps(json, JSON_COMPACT);
	assert_string_equal(dump, expected);
	free(dump);
	json_decref(json);
	conf_free(&conf);
	free(copy);
}

#define HEAD "{\"schema\":\"smc-tools/conf/1\""

TEST(documents)
{
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
		"deny to [fd00::1]:80-90\ndeny 10.1.0.0/16\ndeny port 22,443,8000-8100\n",
		HEAD ",\"deny_port\":[22,443,\"8000-8100\"],\"deny\":[\"10.1.0.0/16\"],"
		     "\"deny_to\":[\"[fd00::1]:80-90\"],\"allow\":[\"10.0.0.0/8\",\"fd00::/8\"],"
		     "\"allow_from\":[\"10.0.0.0/8:80\"]}");
	is_json("exclusive eid policy\nnetns a\nexclusive\nnetns *\ndeny port 1\n"
		"netns b\\x20c\\xc4\nhandshake-limit off\n",
		HEAD ",\"exclusive\":[\"eid\",\"policy\"],\"netns\":{\"a\":{\"exclusive\":true},"
		     "\"*\":{\"deny_port\":[1]},\"b c\\\\xc4\":{\"handshake-limit\":false}}}");
}
