// SPDX-License-Identifier: MIT
/* --list: every device with its PNET ID; --suggest: pairs of RDMA ports and net devices. */
#include "base/libc.h"
#include "smc_pnet/smc_pnet.h"

#include "cli/screen.h"
#include "out/list.h"

/* ---- columns ---- */

static const struct out_names types =
	OUT_NAMES(NULL, NULL, { "net", "net" }, { "ib", "ib" }, { "ism", "ism" });
static const struct out_names sources = OUT_NAMES(NULL, NULL, { NULL, NULL }, { "table", "table" },
						  { "hardware", "hardware" }, { "base", "base" });

static const void *find_chid(const void *object)
{
	const struct pnet_row *row = object;

	return row->ism && row->ism->chid >= 0 ? &row->ism->chid : NULL;
}

static json_t *json_chid(const void *chid)
{
	return json_integer(*(const int32_t *)chid);
}

static const void *find_port(const void *object)
{
	return ((const struct pnet_row *)object)->ib_port;
}

static const void *find_net(const void *object)
{
	return ((const struct pnet_row *)object)->net;
}

#define IF_SET OUT_OPTIONAL, .none = SMC_PNET_NONE

const struct out_col pnet_row_columns[] = {
	{ "pnetid", "PNET_ID", "pnetid", 16, OUT_PTR(pnet_row, pnetid), IF_SET },
	{ "type", "Type", "type", 4, OUT_NAME(pnet_row, type, types) },
	{ "device", "Device", "device", 15, OUT_PTR(pnet_row, name), IF_SET },
	{ "port", "Port", "port", 4, OUT_RIGHT, OUT_DEC(pnet_row, port, 0), IF_SET },
	{ "state", "State", "state", 7, OUT_PTR(pnet_row, state), IF_SET },
	{ "bus", "Bus", "bus", 6, OUT_PTR(pnet_row, bus), IF_SET },
	{ "busid", "Bus-ID", "bus_id", 12, OUT_PTR(pnet_row, bus_id), IF_SET },
	{ "source", "Source", "source", 8, OUT_NAME(pnet_row, source, sources), IF_SET },
	{ "netdev", "Net-Dev", "net_device", 7, OUT_PTR(pnet_row, netdev), IF_SET },
	{ "layer", "Layer", "link_layer", 0, OUT_STR(rdma_port, link_layer), IF_SET,
	  .find = find_port },
	{ NULL, NULL, "ifindex", 0, OUT_DEC(netdev, ifindex, 0), OUT_OPTIONAL, .find = find_net },
	{ NULL, NULL, "lower", 0, OUT_STR(netdev, lower), OUT_OPTIONAL, .find = find_net },
	{ NULL, NULL, "chid", 0, .json = json_chid, .find = find_chid },
	{ 0 },
};

static const char columns[] = "pnetid,type,device,port,state,bus,busid,source,netdev";

/* ---- printing ---- */

static json_t *json_warnings(const struct pnet_rows *rows)
{
	json_t *array = json_array();
	struct out_text text AUTO(out_free) = { 0 };

	for (size_t i = 0; i < rows->count; i++, out_reset(&text))
		if (pnet_row_warn(&text, &rows->rows[i]))
			json_array_append_new(array, json_stringn(text.data, text.len));
	return array;
}

static void print_warnings(const struct pnet_rows *rows)
{
	struct out_text line AUTO(out_free) = { 0 };

	for (size_t i = 0; i < rows->count; i++, out_reset(&line)) {
		out_str(&line, "smc_pnet: warning: ");
		if (!pnet_row_warn(&line, &rows->rows[i]))
			continue;
		out_char(&line, '\0');
		cli_say(line.data);
	}
}

static int print_rows(const struct pnet_rows *rows, bool is_tree, struct smc_err *err)
{
	struct out_view view = { 0 };

	if (is_tree)
		return pnet_print_tree(rows, err);
	out_view_add(&view, pnet_row_columns, columns);
	for (size_t i = 0; i < rows->count; i++)
		if (strlen(rows->rows[i].name) < UINT8_MAX)
			out_view_widen(&view, "device", (uint8_t)strlen(rows->rows[i].name));
	return out_print_list(&view, rows->rows, rows->count, sizeof(*rows->rows),
			      "smc_pnet: no net device, no RDMA port and no ISM device", err);
}

int pnet_list(struct pnet_tool *tool, bool is_tree, bool is_json)
{
	struct smc_pnet_table table AUTO(smc_pnet_free) = { 0 };
	struct pnet_world world AUTO(pnet_world_free) = { 0 };
	struct pnet_rows rows AUTO(pnet_rows_free) = { 0 };
	int ret;

	ret = pnet_fetch(tool->nl, &table, tool->err);
	if (!ret)
		ret = pnet_world_load(&world, tool->root, tool->err);
	if (!ret)
		pnet_rows_make(&rows, &table, &world);
	if (!ret && is_json)
		ret = out_print_json(json_pack("{s:s, s:o, s:o}", "schema", "smc-tools/pnet-list/1",
					       "devices",
					       out_json_list(pnet_row_columns, rows.rows,
							     rows.count, sizeof(*rows.rows)),
					       "warnings", json_warnings(&rows)),
				     tool->err);
	else if (!ret)
		ret = print_rows(&rows, is_tree, tool->err);
	if (!ret && !is_json)
		print_warnings(&rows);
	return ret;
}

/* ---- --suggest ---- */

/* One line for a shell: a command, or a comment if a name cannot be quoted. */
static void append_command(struct out_text *text, const struct smc_pnet *entry)
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

static int print_commands(const struct smc_pnet_table *entries, bool is_json, struct smc_err *err)
{
	struct out_text text = { 0 };

	if (is_json)
		return out_print_json(
			json_pack("{s:s, s:o}", "schema", "smc-tools/pnet-suggest/1", "entries",
				  out_json_list(pnet_columns, entries->entries, entries->count,
						sizeof(*entries->entries))),
			err);
	for (size_t i = 0; i < entries->count; i++)
		append_command(&text, &entries->entries[i]);
	if (!entries->count)
		cli_none("smc_pnet: nothing to suggest");
	return out_finish(&text, err);
}

int pnet_suggest(struct pnet_tool *tool, bool is_apply, bool is_json)
{
	struct smc_pnet_table table AUTO(smc_pnet_free) = { 0 };
	struct smc_pnet_table entries AUTO(smc_pnet_free) = { 0 };
	struct pnet_world world AUTO(pnet_world_free) = { 0 };
	int ret;

	ret = pnet_fetch(tool->nl, &table, tool->err);
	if (!ret)
		ret = pnet_world_load(&world, tool->root, tool->err);
	if (!ret)
		pnet_suggest_make(&entries, &table, &world);
	for (size_t i = 0; !ret && is_apply && i < entries.count; i++)
		ret = pnet_add(tool, &entries.entries[i]);
	/* Print them with --apply, too, so that the commands can be kept. */
	return ret ? ret : print_commands(&entries, is_json, tool->err);
}
