/* SPDX-License-Identifier: MIT */
/* smc_keep: another process that holds a socket until SMC has sent what was written to it. */
#pragma once

#include <stdbool.h>

#include "smc/keep.h"

#pragma GCC visibility push(hidden)

/**
 * shim_keeper_give() - hand a socket to the user's smc_keep, which is started if there is none
 * @fd: a socket; it stays open
 * @how: what is to be done with it when all is sent
 *
 * Never waits for a keeper that runs; for one that begins or ends two seconds at most, and then not
 * again for ten. A process of another user or in other namespaces gets nothing, even with the name.
 * Leaves errno as it was, and nothing behind: no file descriptor, no child, no signal. Not called
 * in a sandbox.
 *
 * Return: whether the keeper has it, or will have.
 */
bool shim_keeper_give(int fd, enum keep_how how);

/** shim_keeper_find() - before main(): where the keeper's program is */
void shim_keeper_find(void);

#pragma GCC visibility pop
