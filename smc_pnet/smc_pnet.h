/* SPDX-License-Identifier: MIT */
/* Shared by the parts of smc_pnet. */
#pragma once

#include "net/netns_list.h"
#include "net/pairing.h"
#include "settings/pnet_table.h"
#include "smc/gen.h"

/* ---- show_table.c ---- */

/** pnet_show() - print the entries of a PNET ID, NULL for all */
int pnet_show(struct pnet_tool *tool, const char *name, bool is_json);

/** pnet_show_all() - pnet_show() for each namespace of @list; unreadable ones are marked */
int pnet_show_all(struct netns_list *list, const char *name, bool is_json, struct smc_err *err);

/* ---- device_list.c, tree.c ---- */

/**
 * struct pnet_group - a link of an SMC-R link group with its group, or an SMC-D link group
 * @link: its name of the RDMA device is empty for SMC-D; @is_shown: for the caller, false at first
 */
struct pnet_group {
	struct smc_lgr lgr;
	struct smc_link link;
	bool is_shown;
};

struct pnet_groups {
	struct pnet_group *groups;
	size_t count;
};

ARRAY_FREE(pnet_groups_free, pnet_groups, groups)

extern const struct out_col pnet_row_columns[];

/**
 * pnet_tree() - append the devices as a tree
 *
 * @width: of the terminal, 0 for none
 *
 * Each net device is followed by its upper devices, the ports that serve it, and the link groups of
 * each port; link groups of unknown devices come last.
 */
void pnet_tree(struct out_text *text, const struct pnet_rows *rows, struct pnet_groups *groups,
	       size_t width);

/** pnet_print_tree() - print the tree with the kernel's link groups. Return: 0, -errno */
int pnet_print_tree(const struct pnet_rows *rows, struct smc_err *err);

/** pnet_list() - print all devices; warnings go to stderr, or into the document */
int pnet_list(struct pnet_tool *tool, bool is_tree, bool is_json);

/** pnet_suggest() - print the commands, or run them */
int pnet_suggest(struct pnet_tool *tool, bool is_apply, bool is_json);
