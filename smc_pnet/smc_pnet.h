/* SPDX-License-Identifier: MIT */
/* Shared by the parts of smc_pnet. */
#pragma once

#include <stdbool.h>

#include "net/netns_list.h"
#include "net/pairing.h"
#include "settings/pnet_table.h"

/* ---- table.c ---- */

/** pnet_show() - print the entries of a PNET ID, NULL for all */
int pnet_show(struct pnet_tool *tool, const char *name, bool is_json);

/** pnet_show_all() - the same of each namespace of @list, which learns what could not be read */
int pnet_show_all(struct netns_list *list, const char *name, bool is_json, struct smc_err *err);

/** pnet_write() - write what was appended, once, to stdout. Return: 0, -errno with @err */
int pnet_write(struct out_text *text, struct smc_err *err);

/** pnet_json_entries() - entries of the table as an array */
json_t *pnet_json_entries(const struct smc_pnet_table *table);

/** pnet_write_json() - print a document and drop the reference */
int pnet_write_json(json_t *doc, struct smc_err *err);

/* ---- list.c ---- */

/** pnet_list() - all devices; warnings on stderr, or in the document */
int pnet_list(struct pnet_tool *tool, bool is_json);

/** pnet_suggest() - print the commands, or run them */
int pnet_suggest(struct pnet_tool *tool, bool is_apply, bool is_json);
