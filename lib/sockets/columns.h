/* SPDX-License-Identifier: MIT */
/* Columns of SMC sockets: the kernel's data on each, and its holders. */
#pragma once

#include "base/err.h"
#include "cli/cli.h"
#include "net/netns_list.h"
#include "out/table.h"
#include "process/proc.h"
#include "smc/sock.h"

/** struct sockets_row - a socket and its holders; @netns: set when all namespaces are shown */
struct sockets_row {
	struct smc_sock sock;
	const struct proc_fd *holders;
	size_t n_holders;
	const struct netns *netns;
};

/** sockets_columns - for objects that begin with a struct sockets_row */
extern const struct out_col sockets_columns[];

/** sockets_choose() - parse -o against the tool's @table. Return: 0, -EINVAL with @err */
int sockets_choose(struct out_view *view, const struct out_col *table, const char *names,
		   struct smc_err *err);

/** sockets_need_processes() - true if these columns of -o show who holds a socket */
bool sockets_need_processes(const char *names);

/** sockets_help() - cli_help() with the filter and the columns. Return: exit status */
int sockets_help(const struct cli_tool *tool, const struct out_col *table);

/** sockets_separate() - separate the lists of --watch; not for JSON lines. Return: 0, -errno */
int sockets_separate(bool is_json, bool is_first, struct smc_err *err);
