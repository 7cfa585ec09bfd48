/* SPDX-License-Identifier: MIT */
/* smc_bpf: programs that a preload library cannot reach, by eBPF. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cgroup/attach.h"
#include "cli/cli.h"

/* ---- status.c ---- */

/** status_print() - the scopes as a table or JSON. Return: 0, -errno with a sentence */
int status_print(const struct cli_tool *tool, const struct scope_list *list, bool is_json,
		 struct smc_err *err);

/** status_metrics() - the same in Prometheus' text form. Return: 0, -errno with a sentence */
int status_metrics(struct scope_list *list, uint64_t hook_failures, struct smc_err *err);

/* ---- hook.c ---- */

/**
 * hook_run() - be the hook of a container's runtime, whose state is on standard input
 *
 * Ends within seconds. What goes wrong is told on standard error and to syslog, and keeps no
 * container from starting unless its annotation is "strict".
 *
 * Return: exit status.
 */
int hook_run(const struct cli_tool *tool);

/** hook_failures() - containers of which something could not be set, since the host was started */
uint64_t hook_failures(void);
