/* SPDX-License-Identifier: MIT */
/* End of a process, and exec: without close(), unsent data of SMC-R would be lost. */
#pragma once

#pragma GCC visibility push(hidden)

/**
 * shim_leave_by_exec() - pass the sockets that exec will close to smc_keep
 *
 * If exec fails, the program continues with its socket, and the keeper's copy does no harm.
 * Preserves errno.
 */
void shim_leave_by_exec(void);

#pragma GCC visibility pop
