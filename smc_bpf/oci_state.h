/* SPDX-License-Identifier: MIT */
/* What a runtime tells a hook of a container. Pure. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

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
