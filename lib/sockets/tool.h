/* SPDX-License-Identifier: MIT */
/* Shared by the command lines of smcss and smc_top. */
#pragma once

#include "base/err.h"
#include "cli/cli.h"
#include "out/table.h"

/** sockets_help() - cli_help() with the filter and the columns. Return: exit status */
int sockets_help(const struct cli_tool *tool, const struct out_col *table);

/** sockets_separate() - separate the lists of --watch; not for JSON lines. Return: 0, -errno */
int sockets_separate(bool is_json, bool is_first, struct smc_err *err);
