// SPDX-License-Identifier: MIT
/* --suggest: pair each RDMA port with its net device. */
#include "smc_pnet.h"

#include <string.h>

/* One line for a shell: a command, or a comment on a name that no shell word can have. */
static void append(struct out_text *text, const struct smc_pnet *entry)
{
	const char *name = entry->has & SMC_PNET_HAS_IB ? entry->ib : entry->eth;
	size_t before = text->len;

	if (!pnet_command(text, entry)) {
		text->len = before;
		out_str(text, "# cannot be typed, --suggest --apply adds it: ");
		out_escaped(text, name, strlen(name));
	}
	out_char(text, '\n');
}

static int print(const struct smc_pnet_table *entries, bool is_json, struct smc_err *err)
{
	struct out_text text = { 0 };

	if (is_json)
		return pnet_write_json(json_pack("{s:s, s:o}", "schema", "smc-tools/pnet-suggest/1",
						 "entries", pnet_json_entries(entries)),
				       err);
	for (size_t i = 0; i < entries->count; i++)
		append(&text, &entries->entries[i]);
	return pnet_write(&text, err);
}

int pnet_suggest(struct pnet_tool *tool, bool is_apply, bool is_json)
{
	struct smc_pnet_table table = { 0 }, entries = { 0 };
	struct pnet_world world = { 0 };
	int ret;

	ret = pnet_fetch(tool->nl, &table, tool->err);
	if (!ret)
		ret = pnet_world_load(&world, tool->root, tool->err);
	if (!ret)
		pnet_suggest_make(&entries, &table, &world);
	for (size_t i = 0; !ret && is_apply && i < entries.count; i++)
		ret = pnet_add(tool, &entries.entries[i]);
	/* Printed in both cases, so that what was run can be kept. */
	if (!ret)
		ret = print(&entries, is_json, tool->err);
	smc_pnet_free(&entries);
	pnet_world_free(&world);
	smc_pnet_free(&table);
	return ret;
}
