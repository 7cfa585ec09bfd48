/* SPDX-License-Identifier: MIT */
/* A command that is to use SMC: by the library in its environment, or by eBPF. */
#ifndef SMC_RUN_COMMAND_H
#define SMC_RUN_COMMAND_H

#include <stdbool.h>

#include "cli/cli.h"
#include "ld_pre_smc/variables.h"
#include "smc_run/unit.h"

/**
 * struct command_options - how a command is to run
 * @settings: values by enum smc_variable; NULL: what the environment has
 * @rcvbuf, @sndbuf: bytes, -1 for none
 * @way: UNIT_WAY_NONE: the library, or eBPF where the library does not reach the program
 * @is_strict: fail rather than use TCP
 * @raise_limits: raise the kernel's limits to what the buffers need
 * @quiet: no warnings
 */
struct command_options {
	const struct cli_tool *tool;
	const char *settings[VARIABLES];
	int rcvbuf, sndbuf;
	enum unit_way way;
	bool is_strict, raise_limits, quiet;
};

/**
 * command_prepare() - everything before exec: checks, and the environment or a mark for eBPF
 *
 * Return: 0, or an exit status after a message.
 */
int command_prepare(const struct command_options *options, const char *command);

#endif
