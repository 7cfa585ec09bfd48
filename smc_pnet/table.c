// SPDX-License-Identifier: MIT
/* The kernel's PNET table: show and export. */
#include "smc_pnet.h"

#include <string.h>

#include "smc/abi.h"

int pnet_write(struct out_text *text, struct smc_err *err)
{
	int ret = out_print(text, err);

	out_free(text);
	return ret;
}

int pnet_write_json(json_t *doc, struct smc_err *err)
{
	struct out_text text = { 0 };

	out_json_document(&text, doc, false);
	return pnet_write(&text, err);
}

json_t *pnet_json_entries(const struct smc_pnet_table *table)
{
	return out_json_list(pnet_columns, table->entries, table->count, sizeof(*table->entries));
}

static int show_json(const struct smc_pnet_table *table, struct smc_err *err)
{
	return pnet_write_json(json_pack("{s:s, s:o}", "schema", "smc-tools/pnet/1", "entries",
					 pnet_json_entries(table)),
			       err);
}

static int show_text(const struct smc_pnet_table *table, struct smc_err *err)
{
	struct out_text text = { 0 };

	for (size_t i = 0; i < table->count; i++) {
		pnet_append_entry(&text, &table->entries[i]);
		out_char(&text, '\n');
	}
	return pnet_write(&text, err);
}

/* By dump: asked for one PNET ID, the kernel silently stops at what fits into one page. */
static void keep_only(struct smc_pnet_table *table, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->entries[i].name, name))
			table->entries[kept++] = table->entries[i];
	table->count = kept;
}

int pnet_show(struct pnet_tool *tool, const char *name, bool is_json)
{
	struct smc_pnet_table table;
	int ret = pnet_fetch(tool->nl, &table, tool->err);

	if (!ret && name)
		keep_only(&table, name);
	if (!ret)
		ret = is_json ? show_json(&table, tool->err) : show_text(&table, tool->err);
	smc_pnet_free(&table);
	return ret;
}

/* ---- of all network namespaces ---- */

struct all {
	const char *name;
	struct out_text text;
	json_t *entries; /* NULL: text */
	struct smc_genl *nl;
};

static void append(struct all *all, const struct smc_pnet *entry, const struct netns *netns)
{
	json_t *json;

	if (!all->entries) {
		pnet_append_entry(&all->text, entry);
		out_char(&all->text, ' ');
		out_escaped(&all->text, netns->name, strlen(netns->name));
		out_char(&all->text, '\n');
		return;
	}
	json = out_json(pnet_columns, NULL, entry);
	json_object_set_new(json, "netns", out_json_str(netns->name));
	json_object_set_new(json, "netns_inode", json_integer((json_int_t)netns->inode));
	json_array_append_new(all->entries, json);
}

static int append_netns(void *arg, const struct netns *netns, struct smc_err *err)
{
	struct smc_pnet_table table = { 0 };
	struct all *all = arg;
	int ret = smc_genl_follow(&all->nl, SMC_ABI_PNET_FAMILY, err);

	if (!ret)
		ret = pnet_fetch(all->nl, &table, err);
	if (!ret && all->name)
		keep_only(&table, all->name);
	for (size_t i = 0; !ret && i < table.count; i++)
		append(all, &table.entries[i], netns);
	smc_pnet_free(&table);
	return ret;
}

int pnet_show_all(struct netns_list *list, const char *name, bool is_json, struct smc_err *err)
{
	struct all all = { .name = name, .entries = is_json ? json_array() : NULL };
	int ret = netns_list_each(list, append_netns, &all, err);

	if (!ret && is_json)
		ret = pnet_write_json(json_pack("{s:s, s:O}", "schema", "smc-tools/pnet/1",
						"entries", all.entries),
				      err);
	else if (!ret)
		ret = pnet_write(&all.text, err);
	smc_genl_close(all.nl);
	json_decref(all.entries);
	out_free(&all.text);
	return ret;
}

int pnet_export(struct pnet_tool *tool)
{
	struct out_text text = { 0 };
	struct smc_pnet_table table;
	int ret = pnet_fetch(tool->nl, &table, tool->err);

	out_str(&text, "# PNET table, for smc_pnet --import\n"
		       "# PNET ID, net device, RDMA or ISM device, port\n");
	for (size_t i = 0; i < table.count; i++)
		pnet_append_line(&text, &table.entries[i]);
	if (!ret)
		ret = pnet_write(&text, tool->err);
	out_free(&text);
	smc_pnet_free(&table);
	return ret;
}
