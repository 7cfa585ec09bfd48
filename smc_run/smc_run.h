/* SPDX-License-Identifier: MIT */
/* smc_run: parts of the program. */
#pragma once

#include "base/libc.h"
#include "cli/cli.h"

/** show_learned() - smc_run --learned; @is_json: one JSON document. Return: exit status */
int show_learned(const struct cli_tool *tool, bool is_json);
