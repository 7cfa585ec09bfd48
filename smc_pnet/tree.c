// SPDX-License-Identifier: MIT
/* --list --tree: net devices upon their base devices, and the ports that serve them. */
#include "smc_pnet.h"

#include <string.h>

#include "smc/abi.h"

#define MAX_LEVELS 8

static void indent(struct out_text *text, unsigned int level)
{
	out_fill(text, ' ', 3 * level - 3);
	out_str(text, "`- ");
}

static void append_row(struct out_text *text, unsigned int level, const struct pnet_row *row)
{
	static const char *const labels[] = { "state", "bus", "busid", "source" };
	struct out_view view = { 0 };
	bool is_first;

	indent(text, level);
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
	is_first = true;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		struct out_text cell = { 0 };

		view.count = 0;
		out_view_add(&view, pnet_row_columns, labels[i]);
		view.cols[0]->text(&cell, row);
		if (cell.len && (cell.len != 3 || memcmp(cell.data, SMC_PNET_NONE, 3))) {
			if (!is_first)
				out_str(text, ", ");
			is_first = false;
			out_mem(text, cell.data, cell.len);
		}
		out_free(&cell);
	}
	out_str(text, ")\n");
}

static void append_group(struct out_text *text, unsigned int level, struct pnet_group *group)
{
	indent(text, level);
	out_str(text, group->ib[0] ? "SMC-R link group " : "SMC-D link group ");
	out_hex(text, group->id, 8);
	if (group->ib[0]) {
		out_str(text, " link ");
		out_dec(text, group->link, 0);
	}
	out_str(text, " (");
	out_dec(text, group->conns, 0);
	out_str(text, group->conns == 1 ? " connection)\n" : " connections)\n");
	group->is_shown = true;
}

static bool uses(const struct pnet_group *group, const struct pnet_row *row)
{
	if (row->ib)
		return !strcmp(group->ib, row->ib->name) && group->port == row->port;
	/* An entry names loopback, which is in no sysfs before 6.18. */
	if (row->type == PNET_ISM && !row->ism)
		return group->chid == SMC_ABI_CHID_LOOPBACK;
	return row->ism && group->chid >= 0 && group->chid == row->ism->chid;
}

/* A port or an ISM device, and the link groups that use it. */
static void append_server(struct out_text *text, unsigned int level, const struct pnet_row *row,
			  struct pnet_groups *groups)
{
	append_row(text, level, row);
	for (size_t i = 0; i < groups->count; i++)
		if (uses(&groups->groups[i], row))
			append_group(text, level + 1, &groups->groups[i]);
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
		       const struct pnet_row *net, unsigned int level, struct pnet_groups *groups)
{
	append_row(text, level, net);
	for (size_t i = 0; i < rows->count && level < MAX_LEVELS; i++) {
		const struct pnet_row *row = &rows->rows[i];

		if (row->net && net->net && row != net && !strcmp(row->net->lower, net->name))
			append_net(text, rows, row, level + 1, groups);
	}
	/* What serves the base device serves those upon it, and is shown once. */
	if (level > 1 && net->source != PNET_FROM_TABLE && net->source != PNET_FROM_HARDWARE)
		return;
	for (size_t i = 0; i < rows->count; i++)
		if (serves(&rows->rows[i], net))
			append_server(text, level + 1, &rows->rows[i], groups);
}

static bool is_served(const struct pnet_rows *rows, const struct pnet_row *row)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].type == PNET_NET && serves(row, &rows->rows[i]))
			return true;
	return false;
}

void pnet_tree(struct out_text *text, const struct pnet_rows *rows, struct pnet_groups *groups)
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
			if (!*group)
				group = SMC_PNET_NONE;
			out_escaped(text, group, strlen(group));
			group = row->pnetid;
			out_char(text, '\n');
		}
		if (row->type == PNET_NET)
			append_net(text, rows, row, 1, groups);
		else
			append_server(text, 1, row, groups);
	}
	/* Loopback without an entry, devices that are gone. */
	for (size_t i = 0; i < groups->count; i++)
		if (!groups->groups[i].is_shown)
			append_group(text, 1, &groups->groups[i]);
}
