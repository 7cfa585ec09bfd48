/* SPDX-License-Identifier: MIT */
/* Services of systemd that use SMC: switch them, and look at them. */
#ifndef SMC_RUN_UNIT_H
#define SMC_RUN_UNIT_H

#include <stdbool.h>

#include "cli/cli.h"

/* Variables of the library, of which unit_enable() writes those that are set. */
#define UNIT_VARIABLES \
	"SMC_SOCK_FAMILY", "SMC_RCVBUF", "SMC_SNDBUF", "SMC_INCLUDE", "SMC_EXCLUDE", \
	"SMC_STRICT", "SMC_RAW", "SMC_DEBUG"

/** enum unit_way - how a service comes to SMC */
enum unit_way {
	UNIT_WAY_NONE,
	UNIT_WAY_PRELOAD,	/* ld_pre_smc.so in its environment */
	UNIT_WAY_BPF,		/* smc_bpf on its control group */
};

/**
 * struct unit_request - what was asked for
 * @name: as typed; NULL means all, for unit_status()
 * @way: of unit_enable(); none: the one that works
 * @user: a unit of the user's own manager
 * @quiet: no warnings
 * @json: of unit_status()
 */
struct unit_request {
	const struct cli_tool *tool;
	const char *name;
	enum unit_way way;
	bool user;
	bool quiet;
	bool json;
};

/**
 * unit_enable() - write the drop-in of a service
 *
 * The library's settings come from this process's environment, see UNIT_VARIABLES. Nothing is
 * written for a unit in which it could have no effect. The service is not restarted.
 *
 * Return: exit status, after messages.
 */
int unit_enable(const struct unit_request *req);

/** unit_disable() - remove it. Return: exit status, after messages */
int unit_disable(const struct unit_request *req);

/** unit_status() - which services are enabled, and what their processes do. Return: exit status */
int unit_status(const struct unit_request *req);

#endif
