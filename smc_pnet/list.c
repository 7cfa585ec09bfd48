// SPDX-License-Identifier: MIT
/* --list: every device with its PNET ID, whoever gave it. */
#include "smc_pnet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = { "net", "ib", "ism" };
static const char *const source_names[] = { NULL, "table", "hardware", "base" };

/* ---- columns ---- */

static void append_word(struct out_text *text, const char *word)
{
	if (word && *word)
		out_escaped(text, word, strlen(word));
	else
		out_str(text, SMC_PNET_NONE);
}

static json_t *json_word(const char *word)
{
	return word && *word ? out_json_string(word, strlen(word)) : NULL;
}

#define WORD_COLUMN(name, value)                                                                  \
	static const char *name##_of(const struct pnet_row *row)                                  \
	{                                                                                         \
		return value;                                                                     \
	}                                                                                         \
	static void text_##name(struct out_text *text, const void *object)                        \
	{                                                                                         \
		append_word(text, name##_of(object));                                             \
	}                                                                                         \
	static json_t *json_##name(const void *object)                                            \
	{                                                                                         \
		return json_word(name##_of(object));                                              \
	}

WORD_COLUMN(pnetid, row->pnetid)
WORD_COLUMN(kind, type_names[row->type])
WORD_COLUMN(device, row->name)
WORD_COLUMN(state, row->net ? row->net->state : row->ib_port ? row->ib_port->state :
		   row->ism || row->type == PNET_ISM ? NULL : "absent")
WORD_COLUMN(bus, row->net ? row->net->bus : row->ib ? row->ib->bus :
		 row->ism ? row->ism->bus : NULL)
WORD_COLUMN(bus_id, row->net ? row->net->bus_id : row->ib ? row->ib->bus_id :
		    row->ism ? row->ism->bus_id : NULL)
WORD_COLUMN(source, source_names[row->source])
WORD_COLUMN(netdev, row->ib_port ? row->ib_port->netdev :
		    row->net && strcmp(row->net->base, row->name) ? row->net->base : NULL)
WORD_COLUMN(layer, row->ib_port ? row->ib_port->link_layer : NULL)

static void text_port(struct out_text *text, const void *object)
{
	const struct pnet_row *row = object;

	if (row->port)
		out_dec(text, row->port, 0);
	else
		out_str(text, SMC_PNET_NONE);
}

static json_t *json_port(const void *object)
{
	const struct pnet_row *row = object;

	return row->port ? json_integer(row->port) : NULL;
}

static json_t *json_ifindex(const void *object)
{
	const struct pnet_row *row = object;

	return row->net && row->net->ifindex ? json_integer(row->net->ifindex) : NULL;
}

const struct out_col pnet_row_columns[] = {
	{ "pnetid", "PNET_ID", "pnetid", 16, .text = text_pnetid, .json = json_pnetid },
	{ "type", "Type", "type", 4, .text = text_kind, .json = json_kind },
	{ "device", "Device", "device", 15, .text = text_device, .json = json_device },
	{ "port", "Port", "port", 4, OUT_RIGHT, .text = text_port, .json = json_port },
	{ "state", "State", "state", 7, .text = text_state, .json = json_state },
	{ "bus", "Bus", "bus", 6, .text = text_bus, .json = json_bus },
	{ "busid", "Bus-ID", "bus_id", 12, .text = text_bus_id, .json = json_bus_id },
	{ "source", "Source", "source", 8, .text = text_source, .json = json_source },
	{ "netdev", "Net-Dev", "net_device", 7, .text = text_netdev, .json = json_netdev },
	{ "layer", "Layer", "link_layer", 0, .text = text_layer, .json = json_layer },
	{ NULL, NULL, "ifindex", 0, .json = json_ifindex },
	{ 0 },
};

static const char columns[] = "pnetid,type,device,port,state,bus,busid,source,netdev";

/* ---- printing ---- */

static json_t *json_warnings(const struct pnet_rows *rows)
{
	json_t *array = json_array();
	char line[256];

	for (size_t i = 0; array && i < rows->count; i++)
		if (pnet_row_warn(line, sizeof(line), &rows->rows[i]))
			json_array_append_new(array, out_json_string(line, sizeof(line)));
	return array;
}

static void print_warnings(const struct pnet_rows *rows)
{
	struct out_text text = { 0 };
	char line[256];

	for (size_t i = 0; i < rows->count; i++) {
		if (!pnet_row_warn(line, sizeof(line), &rows->rows[i]))
			continue;
		out_str(&text, "smc_pnet: warning: ");
		out_escaped(&text, line, sizeof(line));
		out_char(&text, '\n');
	}
	if (text.len)
		fwrite(text.data, 1, text.len, stderr);
	out_free(&text);
}

static int print_tree(const struct pnet_rows *rows, struct smc_err *err)
{
	struct out_text text = { 0 };
	struct pnet_groups groups;
	int ret = pnet_groups_fetch(&groups, err);

	if (ret)
		return ret;
	pnet_tree(&text, rows, &groups);
	pnet_groups_free(&groups);
	return pnet_write(&text, err);
}

static int print_rows(const struct pnet_rows *rows, bool is_tree, struct smc_err *err)
{
	struct out_text text = { 0 };
	struct out_view view = { 0 };

	if (is_tree)
		return print_tree(rows, err);
	out_view_add(&view, pnet_row_columns, columns);
	for (size_t i = 0; i < rows->count; i++)
		if (strlen(rows->rows[i].name) < UINT8_MAX)
			out_view_widen(&view, "device", (uint8_t)strlen(rows->rows[i].name));
	out_header(&text, &view);
	for (size_t i = 0; i < rows->count; i++)
		out_row(&text, &view, &rows->rows[i]);
	return pnet_write(&text, err);
}

int pnet_list(struct pnet_tool *tool, bool is_tree, bool is_json)
{
	struct smc_pnet_table table = { 0 };
	struct pnet_world world = { 0 };
	struct pnet_rows rows = { 0 };
	int ret;

	ret = pnet_fetch(tool->nl, &table, tool->err);
	if (!ret)
		ret = pnet_world_load(&world, tool->root, tool->err);
	if (!ret && pnet_rows_make(&rows, &table, &world))
		ret = smc_err_set(tool->err, ENOMEM, "cannot keep the list of devices");
	if (!ret && is_json)
		ret = pnet_write_json(json_pack("{s:s, s:o, s:o}", "schema", "smc-tools/pnet-list/1",
						"devices", out_json_list(pnet_row_columns, rows.rows,
									 rows.count, sizeof(*rows.rows)),
						"warnings", json_warnings(&rows)), tool->err);
	else if (!ret)
		ret = print_rows(&rows, is_tree, tool->err);
	if (!ret && !is_json)
		print_warnings(&rows);
	pnet_rows_free(&rows);
	pnet_world_free(&world);
	smc_pnet_free(&table);
	return ret;
}
