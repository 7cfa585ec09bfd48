// SPDX-License-Identifier: MIT
/* --list --tree: net devices upon their base devices, and the ports that serve them. */
#include "smc_pnet.h"

#include <string.h>

#define MAX_LEVELS 8

static void append_row(struct out_text *text, unsigned int level, const struct pnet_row *row)
{
	static const char *const labels[] = { "state", "bus", "busid", "source" };
	struct out_view view = { 0 };

	if (level) {
		out_fill(text, ' ', 3 * level - 3);
		out_str(text, "`- ");
	}
	out_view_add(&view, pnet_row_columns, "type,device");
	for (size_t i = 0; i < 2; i++) {
		view.cols[i]->text(text, row);
		out_char(text, ' ');
	}
	if (row->port) {
		out_str(text, "port ");
		out_dec(text, row->port, 0);
		out_char(text, ' ');
	}
	out_char(text, '(');
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		struct out_text cell = { 0 };

		view.count = 0;
		out_view_add(&view, pnet_row_columns, labels[i]);
		view.cols[0]->text(&cell, row);
		if (cell.len && (cell.len != 3 || memcmp(cell.data, SMC_PNET_NONE, 3))) {
			if (text->data[text->len - 1] != '(')
				out_str(text, ", ");
			out_mem(text, cell.data, cell.len);
		}
		out_free(&cell);
	}
	out_str(text, ")\n");
}

/* Does a port or an ISM device serve a net device? By PNET ID; without any, as its own device. */
static bool serves(const struct pnet_row *row, const struct pnet_row *net)
{
	if (row->type == PNET_NET)
		return false;
	if (*row->pnetid || *net->pnetid)
		return !strcmp(row->pnetid, net->pnetid);
	return row->ib_port && net->net && !strcmp(row->ib_port->netdev, net->net->base);
}

static void append_net(struct out_text *text, const struct pnet_rows *rows,
		       const struct pnet_row *net, unsigned int level)
{
	append_row(text, level, net);
	for (size_t i = 0; i < rows->count && level < MAX_LEVELS; i++) {
		const struct pnet_row *row = &rows->rows[i];

		if (row->net && net->net && row != net && !strcmp(row->net->lower, net->name))
			append_net(text, rows, row, level + 1);
	}
	/* What serves the base device serves those upon it, and is shown once. */
	if (level > 1 && net->source != PNET_FROM_TABLE && net->source != PNET_FROM_HARDWARE)
		return;
	for (size_t i = 0; i < rows->count; i++)
		if (serves(&rows->rows[i], net))
			append_row(text, level + 1, &rows->rows[i]);
}

static bool is_served(const struct pnet_rows *rows, const struct pnet_row *row)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].type == PNET_NET && serves(row, &rows->rows[i]))
			return true;
	return false;
}

void pnet_tree(struct out_text *text, const struct pnet_rows *rows)
{
	const char *group = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		const struct pnet_row *row = &rows->rows[i];
		bool is_root = row->type == PNET_NET ?
				       !row->net || !row->net->lower[0] : !is_served(rows, row);

		if (!is_root)
			continue;
		if (!group || strcmp(group, row->pnetid)) {
			group = row->pnetid;
			out_str(text, *group ? group : SMC_PNET_NONE);
			out_char(text, '\n');
		}
		if (row->type == PNET_NET)
			append_net(text, rows, row, 1);
		else
			append_row(text, 1, row);
	}
}
