// SPDX-License-Identifier: MIT
/*
 * JSON keys of the column tables: a full object has all of them. As a program with arguments it
 * lists columns and keys, which tests/cli/docs.t looks for in the manual pages:
 *
 *	keys columns	of smcss: NAME|HEADER|KEY
 *	keys measured	those of smc_top only
 *	keys smcss	all JSON keys of smcss and smc_top, also nested ones
 *	keys smcdr	all keys of the tables of smcd and smcr
 */
#define main run_unit_tests
#include "test.h"
#undef main

#include "smcdr/cmd.h"
#include "smc_top/top.h"
#include "smcss/smcss.h"

/* A connection that fell back, with all other members set; no kernel has such a socket. */
static json_t *full_socket(json_t **summed)
{
	static const struct proc_fd holder = { .pid = 1, .fd = 3, .comm = "redis" };
	static struct netns netns = { .inode = 4026531840, .name = "web" };
	static const struct netns_list spaces = { .entries = &netns, .count = 1 };
	struct summary *summary = summary_new(true);
	struct sockets_row row;
	json_t *json;

	memset(&row, 1, sizeof(row));
	row.sock.has = UINT32_MAX;
	row.sock.uid = 0;
	row.sock.mode = SMC_DIAG_MODE_FALLBACK_TCP;
	row.sock.state = SMC_ABI_ACTIVE;
	row.sock.local.family = row.sock.peer.family = AF_INET;
	row.sock.fallback.reason = row.sock.fallback.peer_diagnosis = 0x05000000;
	row.holders = &holder;
	row.netns = &netns;
	row.n_holders = 1;
	json = out_json(smcss_columns, NULL, &row);
	summary_add(summary, &row);
	*summed = summary_json(summary, &spaces);
	summary_free(summary);
	return json;
}

/* A rate, or a lower bound of it. */
static json_t *full_rate(void)
{
	struct top_row row = { .rate = { .has = UINT32_MAX, .bottleneck = SMC_BOTTLENECK_LINK } };
	json_t *json = out_json(top_columns, NULL, &row), *least;

	row.rate.in.is_least = row.rate.out.is_least = true;
	least = out_json(top_columns, NULL, &row);
	assert_true(json && least && !json_object_update_missing(json, least));
	json_decref(least);
	return json;
}

static json_t *full_group(const struct out_col *table)
{
	struct link_row row;

	memset(&row, 1, sizeof(row));
	row.lgr.has = row.link.has = UINT32_MAX;
	return out_json(table, NULL, &row);
}

static json_t *full_device(const struct out_col *table)
{
	struct device_row row;

	memset(&row, 1, sizeof(row));
	row.device.has = row.port.has = UINT32_MAX;
	row.port.pnetid[SMC_MAX_PNETID_LEN] = '\0';
	return out_json(table, NULL, &row);
}

static bool has_key(const json_t *json, const struct out_col *col)
{
	return json_object_get(col->group ? json_object_get(json, col->group) : json, col->key);
}

static void check(const struct out_col *table, json_t *json)
{
	size_t count = 0;

	for (const struct out_col *col = table; col->name || col->key; col++, count++)
		if (col->key && !has_key(json, col))
			fail_msg("no value for %s", col->key);
	assert_true(count > 2);
	json_decref(json);
}

TEST(complete)
{
	json_t *summary;

	check(sockets_columns, full_socket(&summary));
	json_decref(summary);
	check(smcss_columns, full_socket(&summary));
	json_decref(summary);
	check(top_columns, full_rate());
	check(smcr_linkgroup_columns, full_group(smcr_linkgroup_columns));
	check(smcd_linkgroup_columns, full_group(smcd_linkgroup_columns));
	check(link_columns, full_group(link_columns));
	check(smcr_device_columns, full_device(smcr_device_columns));
	check(smcd_device_columns, full_device(smcd_device_columns));
}

static void list_columns(const struct out_col *table)
{
	const char *group = "";

	for (const struct out_col *col = table; col->name || col->key; col++) {
		const char *key = col->key ? col->key : "";

		/* The value of a group is that of its first column. */
		if (col->group)
			key = strcmp(col->group, group) ? col->group : "";
		group = col->group ? col->group : "";
		if (col->name)
			printf("%s|%s|%s\n", col->name, col->head, key);
	}
}

static void list_keys(json_t *json)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach(json, key, value) {
		puts(key);
		list_keys(value);
	}
	json_array_foreach(json, i, value)
		list_keys(value);
}

static void list(json_t *json)
{
	list_keys(json);
	json_decref(json);
}

static int print(const char *what)
{
	json_t *summary;

	if (!strcmp(what, "columns")) {
		list_columns(smcss_columns);
		list_columns(sockets_columns);
	} else if (!strcmp(what, "measured")) {
		list_columns(top_columns);
	} else if (!strcmp(what, "smcss")) {
		list(full_socket(&summary));
		list(summary);
		list(full_rate());
	} else {
		list(full_group(smcr_linkgroup_columns));
		list(full_group(smcd_linkgroup_columns));
		list(full_group(link_columns));
		list(full_device(smcr_device_columns));
		list(full_device(smcd_device_columns));
	}
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? print(argv[1]) : run_unit_tests();
}
