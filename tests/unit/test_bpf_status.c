// SPDX-License-Identifier: MIT
/* smc_bpf status: scopes as a table and as JSON. */
#include "capture.h"

#include <jansson.h>

#include "smc_bpf/smc_bpf.h"

static const struct cli_tool tool = { .name = "smc_bpf", .error_status = 1 };

static const struct scope_entry entries[] = {
	{ 77, { .kind = SCOPE_CGROUP, .name = "/z\x1b" }, STATE_EMPTY },
	{ SCOPE_RUN_ID,
	  { .kind = SCOPE_RUN,
	    .converted = 12345678901234,
	    .excluded = 3,
	    .other = 9,
	    .mptcp = 4,
	    .family = AF_INET,
	    .name = "smc_run" },
	  STATE_ACTIVE },
	{ 6,
	  { .kind = SCOPE_CGROUP,
	    .family = SCOPE_NO_FAMILY,
	    .keeps_mptcp = 1,
	    .name = "/b c",
	    .comms = { "sshd", "x\xc3" } },
	  STATE_GONE },
	{ 5,
	  { .kind = SCOPE_CGROUP,
	    .family = AF_INET6,
	    .name = "/a",
	    .comms = { "0123456789abcde", "b", "c", "d", "e", "f", "g", "h" } },
	  STATE_ACTIVE },
};

/* Captured output, to be freed. */
static char *printed(size_t count, bool is_json)
{
	struct scope_entry copy[ARRAY_SIZE(entries)];
	const struct scope_list list = { copy, count };
	int fd = capture_file(), saved;
	struct smc_err err;
	int ret;

	memcpy(copy, entries, sizeof(copy));
	saved = stdout_to(fd);
	ret = status_print(&tool, &list, is_json, &err);
	stdout_back(saved);
	assert_int_equal(ret, 0);
	return file_text(fd);
}

TEST(table)
{
	char *text = printed(ARRAY_SIZE(entries), false);

	assert_string_equal(
		text,
		"Scope   State  Converted Excluded    Other MPTCP Name                           Rules\n"
		"cgroup  active         0        0        0     0 /a                             "
		"ipv6 !0123456789abcde !b !c !d !e !f !g !h\n"
		"cgroup  gone           0        0        0     0 /b c                           "
		"none mptcp !sshd !x\\xc3\n"
		"cgroup  empty          0        0        0     0 /z\\x1b\n"
		"run     active 12345678901234        3        9     4 smc_run                        ipv4\n");
	free(text);
}

TEST(metrics)
{
	static const char *const lines[] = {
		"smc_scopes{state=\"gone\"} 1\n",
		"smc_scopes{state=\"active\"} 101\n",
		"smc_scope_sockets_total{scope=\"/big\\\\x1b\",id=\"1099\",result=\"converted\"} 99\n",
		"smc_scope_sockets_total{scope=\"other\",result=\"converted\"} 1\n",
		"smc_oci_hook_failures_total 3\n",
		"smc_scope_sockets_total{scope=\"other\",result=\"excluded\"} 16\n",
	};
	struct scope_entry many[103] = { { .scope.kind = SCOPE_CGROUP } };
	struct scope_list list = { many, ARRAY_SIZE(many) };
	int fd = capture_file(), saved;
	struct smc_err err;
	char *text;

	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (struct scope_entry){ 1000 + i,
						{ .kind = SCOPE_CGROUP,
						  .converted = i > 101 ? 0 : i,
						  .excluded = 7,
						  .other = 1,
						  .name = "/big\x1b" },
						STATE_ACTIVE };
	many[0].state = STATE_GONE;
	many[0].scope.excluded = 2;
	many[102].state = STATE_EMPTY;
	saved = stdout_to(fd);
	assert_int_equal(status_metrics(&list, 3, &err), 0);
	stdout_back(saved);
	text = file_text(fd);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("no %s in %s", lines[i], text);
	free(text);
}

/* Whether SMC is available depends on the machine that runs the test. */
static void check_json(size_t count, const char *want)
{
	char *text = printed(count, true), *dump;
	json_t *doc = json_loads(text, 0, NULL);

	assert_non_null(doc);
	assert_string_equal(json_string_value(json_object_get(doc, "schema")), "smc-tools/bpf/1");
	assert_true(json_is_boolean(json_object_get(doc, "smc")));
	dump = json_dumps(json_object_get(doc, "scopes"), JSON_COMPACT | JSON_ENSURE_ASCII);
	assert_string_equal(dump, want);
	free(dump);
	json_decref(doc);
	free(text);
}

TEST(json)
{
	check_json(0, "[]");
	check_json(
		ARRAY_SIZE(entries),
		"[{\"scope\":\"cgroup\",\"id\":\"5\",\"state\":\"active\",\"converted\":0,"
		"\"excluded\":0,\"other\":0,\"mptcp\":0,\"name\":\"/a\",\"only\":\"ipv6\","
		"\"exclude_comms\":[\"0123456789abcde\","
		"\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"]},"
		"{\"scope\":\"cgroup\",\"id\":\"6\",\"state\":\"gone\","
		"\"converted\":0,\"excluded\":0,\"other\":0,\"mptcp\":0,\"name\":\"/b c\",\"only\":\"none\","
		"\"keep_mptcp\":1,\"exclude_comms\":[\"sshd\",\"x\\\\xc3\"]},"
		"{\"scope\":\"cgroup\",\"id\":\"77\",\"state\":\"empty\",\"converted\":0,"
		"\"excluded\":0,\"other\":0,\"mptcp\":0,\"name\":\"/z\\u001B\"},"
		"{\"scope\":\"run\",\"id\":\"9223372036854775808\",\"state\":\"active\","
		"\"converted\":12345678901234,\"excluded\":3,\"other\":9,\"mptcp\":4,\"name\":\"smc_run\","
		"\"only\":\"ipv4\"}]");
}
