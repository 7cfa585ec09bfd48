/* SPDX-License-Identifier: MIT */
/* What smc_run was asked for. */
#pragma once

#include <stdbool.h>

#include "cli/cli.h"
#include "ld_pre_smc/variables.h"
#include "policy/policy.h"

/** enum way - how a program or a service comes to SMC */
enum way {
	WAY_NONE,
	WAY_PRELOAD, /* ld_pre_smc.so in its environment */
	WAY_BPF,     /* the process, or the service's control group, marked for eBPF */
	WAY_SECCOMP, /* a supervisor that opens the sockets of a command */
	WAY_OWN,     /* a service whose own settings start smc_run or preload the library */
};

/**
 * struct request - the options
 * @settings: of the library, by enum smc_variable; NULL: what the environment has
 * @way: WAY_NONE: the first in their order that reaches the program
 * @quiet: no warnings
 * @is_strict: of commands: fail rather than use TCP
 * @raise_limits: of commands: raise the kernel's limits to what the buffers need
 * @unit: the service as typed; NULL: all, for --status
 * @peers: with whom a service may use SMC; empty: nothing is said
 * @user: it is a unit of the user's own manager
 * @json: of --status
 */
struct request {
	const struct cli_tool *tool;
	const char *settings[VARIABLES];
	enum way way;
	bool quiet;
	bool is_strict, raise_limits;
	const char *unit;
	struct policy peers;
	bool user, json;
};
