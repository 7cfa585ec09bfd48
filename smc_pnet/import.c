// SPDX-License-Identifier: MIT
/* --import: make the kernel's table what a file says, all of it or nothing. */
#include "smc_pnet.h"

static void append_changes(struct out_text *text, const char *mark, const struct smc_pnet_table *in,
			   const struct smc_pnet_table *out)
{
	for (size_t i = 0; i < in->count; i++) {
		if (pnet_has_entry(out, &in->entries[i]))
			continue;
		out_str(text, mark);
		pnet_append_entry(text, &in->entries[i]);
		out_char(text, '\n');
	}
}

static json_t *json_changes(const struct smc_pnet_table *in, const struct smc_pnet_table *out)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < in->count; i++)
		if (!pnet_has_entry(out, &in->entries[i]))
			json_array_append_new(array, out_json(pnet_columns, NULL, &in->entries[i]));
	return array;
}

static int show_diff(const struct smc_pnet_table *from, const struct smc_pnet_table *to,
		     bool is_json, struct smc_err *err)
{
	struct out_text text = { 0 };

	if (is_json)
		return pnet_write_json(
			json_pack("{s:s, s:o, s:o}", "schema", "smc-tools/pnet-diff/1", "remove",
				  json_changes(from, to), "add", json_changes(to, from)),
			err);
	append_changes(&text, "- ", from, to);
	append_changes(&text, "+ ", to, from);
	return pnet_write(&text, err);
}

int pnet_import(struct pnet_tool *tool, const struct smc_pnet_table *to, bool is_diff, bool is_json)
{
	struct smc_pnet_table from;
	int ret = pnet_fetch(tool->nl, &from, tool->err);

	if (!ret && is_diff) {
		ret = show_diff(&from, to, is_json, tool->err);
	} else if (!ret) {
		ret = pnet_change(tool, &from, to);
	}
	smc_pnet_free(&from);
	return ret;
}
