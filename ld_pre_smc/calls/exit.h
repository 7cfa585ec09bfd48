/* SPDX-License-Identifier: MIT */
/* The ends of a process, and exec: whoever leaves without close() loses what SMC-R has not sent. */
#pragma once

#pragma GCC visibility push(hidden)

/**
 * shim_leave_by_exec() - hand what exec will close to smc_keep
 *
 * When exec then fails the program goes on with its socket, and the keeper's copy does no harm.
 * Leaves errno as it was.
 */
void shim_leave_by_exec(void);

#pragma GCC visibility pop
