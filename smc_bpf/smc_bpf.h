/* SPDX-License-Identifier: MIT */
/* smc_bpf: programs that a preload library cannot reach, by eBPF. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* ---- oci_state.c: what a runtime says of a container to its hook. Pure ---- */

#define OCI_ANNOTATION "smc-tools/attach"

enum oci_wish {
	OCI_NONE,
	OCI_TCP,    /* stays on TCP, whatever is attached around it */
	OCI_TRUE,   /* its TCP sockets become SMC sockets, if that is possible */
	OCI_SMC,    /* the same */
	OCI_STRICT, /* the same, and it does not start otherwise */
};

/**
 * struct oci_state - its state
 * @pid: its first process, in our PID namespace; 0 if it is stopped
 * @is_stopped: it has ended, and is being deleted
 */
struct oci_state {
	char id[NAME_MAX + 1];
	pid_t pid;
	bool is_stopped;
	enum oci_wish wish;
};

/**
 * oci_state_read() - the state as runtimes write it for their hooks, in JSON
 *
 * OCI runtime specification 1.0: runtime.md, "State"; config.md, "POSIX-platform Hooks".
 *
 * Return: 0; -EINVAL with a sentence for what is not such a state, or an unknown wish.
 */
int oci_state_read(struct oci_state *container, const char *text, size_t len, struct smc_err *err);
