/* SPDX-License-Identifier: MIT */
/* smc_bpf: use SMC with eBPF in programs that a preload library cannot reach. */
#pragma once

#include "base/err.h"
#include "cgroup/attach.h"
#include "cli/cli.h"

/* ---- show_scopes.c ---- */

/** status_print() - the scopes as a table or JSON. Return: 0, -errno with a message */
int status_print(const struct cli_tool *tool, const struct scope_list *list, bool is_json,
		 struct smc_err *err);

/**
 * status_metrics() - append the scopes in Prometheus' text form. Return: 0, -errno with a message
 */
int status_metrics(struct scope_list *list, uint64_t hook_failures, struct smc_err *err);

/* ---- netns_buffers.c ---- */

/**
 * buffers_set() - set the buffers of new SMC sockets in the network namespace of a process
 * @bytes: 0 for smc_run's size, unless somebody has set another there
 *
 * Return: 0; 1 if 64 KiB remain, as the process shares our namespace; -errno with a message.
 */
int buffers_set(pid_t pid, int bytes, struct smc_err *err);

/* ---- hook.c ---- */

/**
 * hook_run() - run as an OCI runtime hook; the state is on standard input
 *
 * Ends within seconds. Errors go to standard error and syslog; they only keep a container from
 * starting if its annotation is "strict".
 * Return: exit status.
 */
int hook_run(const struct cli_tool *tool);

/** hook_failures() - number of containers with a failed setup since the host was booted */
uint64_t hook_failures(void);

/* ---- oci_state.c: state of a container, passed by the runtime. Pure ---- */

#define OCI_ANNOTATION "smc-tools/attach"
#define OCI_MPTCP "smc-tools/mptcp"
#define OCI_BUFFERS "smc-tools/buffers"

enum oci_wish {
	OCI_NONE,
	OCI_TCP,    /* stays on TCP, whatever is attached to parent groups */
	OCI_TRUE,   /* TCP sockets become SMC sockets if possible */
	OCI_SMC,    /* same as OCI_TRUE */
	OCI_STRICT, /* same, and without SMC it does not start */
};

/**
 * struct oci_state - state of a container
 * @pid: its first process, in our PID namespace; 0 if it is stopped
 * @buffers: bytes, 0 without an annotation
 * @is_stopped: it has ended and is being deleted; @keeps_mptcp: as in struct smc_scope
 */
struct oci_state {
	char id[NAME_MAX + 1];
	pid_t pid;
	int buffers;
	bool is_stopped, keeps_mptcp;
	enum oci_wish wish;
};

/**
 * oci_state_read() - parse the JSON that runtimes write for hooks
 *
 * OCI runtime specification 1.0: runtime.md, "State"; config.md, "POSIX-platform Hooks".
 * Return: 0; -EINVAL with a message if it is not such a state, or has an unknown value.
 */
int oci_state_read(struct oci_state *container, const char *text, size_t len, struct smc_err *err);
