// SPDX-License-Identifier: MIT
/* Show the kernel's PNET table. */
#include "base/libc.h"
#include "smc_pnet/smc_pnet.h"

#include "cli/screen.h"
#include "out/list.h"
#include "smc/genl_abi.h"

/** struct row - an entry; @netns: name of its network namespace, for --all-netns */
struct row {
	struct smc_pnet entry;
	const char *netns;
};

static const struct out_col columns[] = {
	{ "netns", "Namespace", NULL, 0, OUT_PTR(row, netns) },
	{ .more = pnet_columns },
};

/** struct shown - @name: only this PNET ID, NULL for all; @entries: for JSON; @list: for text */
struct shown {
	const char *name;
	struct out_text text;
	struct out_list list;
	json_t *entries;
	struct smc_genl *nl;
};

/* Only terminals have a header. */
static void begin(struct shown *shown, const char *names)
{
	struct out_view view = { .count = 0 };

	out_view_add(&view, columns, names);
	out_list_begin(&shown->list, &view, &shown->text, cli_columns(), cli_columns());
}

/* @netns: NULL for the caller's */
static void append(struct shown *shown, const struct smc_pnet *entry, const struct netns *netns)
{
	json_t *json;

	if (!shown->entries) {
		out_list_row(&shown->list, &(struct row){ *entry, netns ? netns->name : "" });
		return;
	}
	json = out_json(pnet_columns, NULL, entry);
	if (netns) {
		json_object_set_new(json, "netns", out_json_str(netns->name));
		json_object_set_new(json, "netns_inode", out_json_number(netns->inode));
	}
	json_array_append_new(shown->entries, json);
}

/* Use a dump: for one PNET ID, the kernel silently truncates the answer to one page. */
static int append_table(struct shown *shown, struct smc_genl *nl, const struct netns *netns,
			struct smc_err *err)
{
	struct smc_pnet_table table AUTO(smc_pnet_free) = { 0 };
	int ret = pnet_fetch(nl, &table, err);

	for (size_t i = 0; !ret && i < table.count; i++)
		if (!shown->name || !strcmp(table.entries[i].name, shown->name))
			append(shown, &table.entries[i], netns);
	return ret;
}

static int print(struct shown *shown, int ret, struct smc_err *err)
{
	if (!ret)
		out_list_end(&shown->list);
	if (!ret && shown->entries)
		ret = out_print_json(json_pack("{s:s, s:O}", "schema", "smc-tools/pnet/1",
					       "entries", shown->entries),
				     err);
	else if (!ret && !shown->text.len)
		cli_none(shown->name ? "smc_pnet: no entry has this PNET ID" :
				       "smc_pnet: the PNET table is empty");
	else if (!ret)
		ret = out_finish(&shown->text, err);
	json_decref(shown->entries);
	out_list_free(&shown->list);
	out_free(&shown->text);
	return ret;
}

int pnet_show(struct pnet_tool *tool, const char *name, bool is_json)
{
	struct shown shown = { .name = name, .entries = is_json ? json_array() : NULL };

	begin(&shown, "pnetid,netdev,ibdev,ibport");
	return print(&shown, append_table(&shown, tool->nl, NULL, tool->err), tool->err);
}

static int append_netns(void *arg, const struct netns *netns, struct smc_err *err)
{
	struct shown *shown = arg;
	int ret = smc_genl_follow(&shown->nl, SMCR_GENL_FAMILY_NAME, err);

	return ret ? ret : append_table(shown, shown->nl, netns, err);
}

int pnet_show_all(struct netns_list *list, const char *name, bool is_json, struct smc_err *err)
{
	struct shown shown = { .name = name, .entries = is_json ? json_array() : NULL };
	int ret;

	begin(&shown, "pnetid,netdev,ibdev,ibport,netns");
	ret = netns_list_each(list, append_netns, &shown, err);
	smc_genl_close(shown.nl);
	return print(&shown, ret, err);
}
