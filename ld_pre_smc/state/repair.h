/* SPDX-License-Identifier: MIT */
/*
 * Repairs: what makes SMC sockets behave as TCP sockets, by row of ld_pre_smc/repairs.
 *
 * A repair that the kernel no longer needs is off. The kernel's release decides: a probe would cost
 * every program sockets, a peer and time, and a filter may forbid it. If a distribution has fixed
 * an older kernel, the repair is on, and has nothing to do.
 */
#pragma once

#include <sys/socket.h>

#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/repair_rows.h"

#pragma GCC visibility push(hidden)

/** shim_release() - SHIM_RELEASE() of the kernel: one system call per process; 0 in a sandbox */
int shim_release(void);

/** shim_needs() - true if the kernel needs this repair, and nobody has switched it off */
static inline bool shim_needs(enum shim_repair repair)
{
	struct shim_config own;

	return shim_repairs() && !(shim_config_get(&own)->off >> repair & 1) &&
	       (!shim_repair_ends[repair] || shim_release() < shim_repair_ends[repair]);
}

/** shim_mends() - shim_needs(), and a debug line with the name: the repair acts on @fd */
bool shim_mends(int fd, enum shim_repair repair);

/**
 * shim_linger_hide() - remove SO_LINGER with a nonzero time from a socket
 * @kept: its value; all zero if there was none
 *
 * A time of 0 asks for a reset and stays. Preserves errno.
 */
void shim_linger_hide(int fd, struct linger *kept);

/* Set SO_LINGER again, on the socket that has the number now. Preserves errno. */
void shim_linger_show(int fd, const struct linger *kept);

#pragma GCC visibility pop
