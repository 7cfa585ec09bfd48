// SPDX-License-Identifier: MIT
/* --list --tree: net devices below their lower devices, with the ports that serve them. */
#include "base/libc.h"
#include "smc_pnet/smc_pnet.h"

#include <linux/genetlink.h>

#include "base/array.h"
#include "base/words.h"
#include "cli/screen.h"
#include "netlink/genl.h"
#include "out/list.h"
#include "smc/abi.h"
#include "smc/gen.h"

#define MAX_LEVELS 8

/* ---- link groups ---- */

struct reader {
	struct pnet_groups *groups;
	struct smc_lgr lgr; /* of SMC-R: the group whose links follow */
	struct smc_err *err;
};

/* The kernel sends each group of SMC-R before its links, in messages of two commands. */
static int on_group(const struct nlmsghdr *nlh, void *arg)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);
	bool is_link = genl->cmd == SMC_NETLINK_GET_LINK_SMCR;
	struct reader *reader = arg;
	struct pnet_group *group;
	struct smc_link link = { .has = 0 };

	if (is_link ? smc_link_decode(&link, nlh) : smc_lgr_decode(&reader->lgr, nlh))
		return smc_err_say(reader->err, EBADMSG, "the kernel sent a malformed link%s",
				   is_link ? "" : " group");
	if (genl->cmd == SMC_NETLINK_GET_LGR_SMCR)
		return 0;
	group = smc_array_add(&reader->groups->groups, &reader->groups->count);
	group->lgr = reader->lgr;
	group->link = link;
	return 0;
}

/* Dump the link groups; there are none if the kernel is too old. */
static int load_groups(struct pnet_groups *groups, struct smc_err *err)
{
	struct reader reader = { .groups = groups, .err = err };
	struct smc_genl *nl = NULL;
	int ret;

	*groups = (struct pnet_groups){ 0 };
	ret = smc_genl_open(&nl, "SMC_GEN_NETLINK", err);
	if (ret) /* kernels before 5.11 have a PNET table, but do not list link groups */
		return ret == -ENOENT ? 0 : ret;
	ret = smc_genl_dump(nl, SMC_NETLINK_GET_LINK_SMCR, on_group, &reader, err);
	if (!ret)
		ret = smc_genl_dump(nl, SMC_NETLINK_GET_LGR_SMCD, on_group, &reader, err);
	smc_genl_close(nl);
	if (ret)
		pnet_groups_free(groups);
	return ret;
}

/* True if a group uses the RDMA port or ISM device of a row. */
static bool group_uses(const struct pnet_group *group, const struct pnet_row *row)
{
	int32_t chid = -1;

	if (row->ib)
		return !strcmp(group->link.ib_dev, row->ib->name) &&
		       group->link.ib_port == row->port;
	if (group->lgr.has & SMC_LGR_HAS_CHID)
		chid = (int32_t)(group->lgr.chid & 0xffff);
	/* An entry names loopback, which is not in sysfs before 6.18. */
	if (row->type == PNET_ISM && !row->ism)
		return chid == SMC_ABI_CHID_LOOPBACK;
	return row->ism && chid >= 0 && chid == row->ism->chid;
}

/* ---- the tree ---- */

/**
 * struct tree - devices, and the lines of the tree
 * @lines: without the branches in front
 * @levels: one byte per line: 0 is a heading
 * @no_id: heading for devices without a PNET ID
 */
struct tree {
	const struct pnet_rows *rows;
	struct pnet_groups *groups;
	struct out_text lines, levels;
	const char *no_id;
};

/* Skip empty columns. */
static void append_row(struct tree *tree, unsigned int level, const struct pnet_row *row)
{
	struct out_text *text = &tree->lines;
	struct out_view view = { 0 };
	const char *gap = " (";

	out_char(&tree->levels, (char)level);
	out_view_add(&view, pnet_row_columns, "type,device,state,bus,busid,source");
	for (size_t i = 0; i < 2; i++) {
		if (i)
			out_char(text, ' ');
		out_cell(text, view.cols[i], row);
	}
	if (row->port)
		out_printf(text, " port %u", row->port);
	for (size_t i = 2; i < view.count; i++) {
		struct out_text cell = { 0 };

		out_cell(&cell, view.cols[i], row);
		if (cell.len != 3 || memcmp(cell.data, SMC_PNET_NONE, 3)) {
			out_str(text, gap);
			out_mem(text, cell.data, cell.len);
			gap = ", ";
		}
		out_free(&cell);
	}
	out_str(text, *gap == ' ' ? "\n" : ")\n");
}

static void append_group(struct tree *tree, unsigned int level, struct pnet_group *group)
{
	struct out_text *text = &tree->lines;
	bool is_smcr = group->link.ib_dev[0];
	uint32_t conns =
		group->link.has & SMC_LINK_HAS_CONNS ? group->link.conns : group->lgr.conns;

	out_char(&tree->levels, (char)level);
	out_printf(text, "SMC-%c link group %08x", is_smcr ? 'R' : 'D', group->lgr.id);
	if (is_smcr)
		out_printf(text, " link %u", group->link.id);
	out_printf(text, " (%u connection%s)\n", conns, plural_s(conns));
	group->is_shown = true;
}

/* Append a port or ISM device, and the link groups that use it. */
static void append_server(struct tree *tree, unsigned int level, const struct pnet_row *row)
{
	append_row(tree, level, row);
	for (size_t i = 0; i < tree->groups->count; i++)
		if (group_uses(&tree->groups->groups[i], row))
			append_group(tree, level + 1, &tree->groups->groups[i]);
}

static void append_net(struct tree *tree, unsigned int level, const struct pnet_row *net)
{
	const struct pnet_rows *rows = tree->rows;

	append_row(tree, level, net);
	for (size_t i = 0; i < rows->count && level < MAX_LEVELS; i++) {
		const struct pnet_row *row = &rows->rows[i];

		if (row->net && net->net && row != net && !strcmp(row->net->lower, net->name))
			append_net(tree, level + 1, row);
	}
	/* Ports of the lower device also serve the upper ones, and are shown once. */
	if (level > 1 && net->source != PNET_FROM_TABLE && net->source != PNET_FROM_HARDWARE)
		return;
	for (size_t i = 0; i < rows->count; i++)
		if (pnet_row_serves(&rows->rows[i], net))
			append_server(tree, level + 1, &rows->rows[i]);
}

static void append_heading(struct tree *tree, const char *pnetid)
{
	out_char(&tree->levels, 0);
	out_escaped(&tree->lines, *pnetid ? pnetid : tree->no_id, SMC_PNET_NAME_SIZE);
	out_char(&tree->lines, '\n');
}

static void append_all(struct tree *tree)
{
	const char *heading = NULL;

	for_each(row, tree->rows->rows, tree->rows->count) {
		if (!pnet_row_is_root(tree->rows, row))
			continue;
		if (!heading || strcmp(heading, row->pnetid))
			append_heading(tree, row->pnetid);
		heading = row->pnetid;
		if (row->type == PNET_NET)
			append_net(tree, 1, row);
		else
			append_server(tree, 1, row);
	}
	/* Loopback without an entry, and removed devices. */
	for (size_t i = 0; i < tree->groups->count; i++)
		if (!tree->groups->groups[i].is_shown)
			append_group(tree, 1, &tree->groups->groups[i]);
}

/* True if a sibling follows, at @level, below line @i. */
static bool goes_on(const struct out_text *levels, size_t i, char level)
{
	while (++i < levels->len && levels->data[i] >= level)
		if (levels->data[i] == level)
			return true;
	return false;
}

/** struct strokes - drawing of a level: goes on, branches off, ends */
static const struct strokes {
	const char *on, *branch, *end;
} ascii = { "|  ", "|- ", "`- " }, lines = { "│  ", "├─ ", "└─ " };

static void draw(struct out_text *text, const struct tree *tree, size_t width)
{
	const struct strokes *strokes = width && cli_has_utf8() ? &lines : &ascii;
	char *rest = tree->lines.data;

	for (size_t i = 0; i < tree->levels.len; i++) {
		const char *line = strsep(&rest, "\n");
		char own = tree->levels.data[i];
		size_t at = 3 * (size_t)own;

		for (char level = 1; level < own; level++)
			out_str(text, goes_on(&tree->levels, i, level) ? strokes->on : "   ");
		if (own)
			out_str(text,
				goes_on(&tree->levels, i, own) ? strokes->branch : strokes->end);
		out_wrap(text, width, at, at + 2, line);
		out_char(text, '\n');
	}
}

void pnet_tree(struct out_text *text, const struct pnet_rows *rows, struct pnet_groups *groups,
	       size_t width)
{
	struct tree tree = { .rows = rows,
			     .groups = groups,
			     .no_id = width ? "(no PNET ID)" : SMC_PNET_NONE };

	append_all(&tree);
	draw(text, &tree, width);
	out_free(&tree.lines);
	out_free(&tree.levels);
}

int pnet_print_tree(const struct pnet_rows *rows, struct smc_err *err)
{
	struct out_text text = { 0 };
	struct pnet_groups groups;
	int ret = load_groups(&groups, err);

	if (ret)
		return ret;
	pnet_tree(&text, rows, &groups, cli_columns());
	if (!text.len)
		cli_none("smc_pnet: no net device, no RDMA port and no ISM device");
	pnet_groups_free(&groups);
	return out_finish(&text, err);
}
