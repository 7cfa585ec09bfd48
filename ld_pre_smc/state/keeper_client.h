/* SPDX-License-Identifier: MIT */
/* Client of smc_keep, the process that holds a socket until SMC has sent its data. */
#pragma once

#include <stdbool.h>

#include "smc/keep.h"

#pragma GCC visibility push(hidden)

/**
 * shim_keeper_give() - pass a socket to the user's smc_keep, which is started if there is none
 * @fd: a socket; it stays open; @how: action after all is sent
 *
 * Never waits for a running keeper. Waits at most two seconds for one that starts or ends, and not
 * again for ten seconds after that. A process of another user or in other namespaces gets nothing,
 * even if it has the name. Preserves errno, and leaves no file descriptor, child or signal. Not
 * called in a sandbox.
 * Return: true if the keeper has it, or will have it.
 */
bool shim_keeper_give(int fd, enum keep_how how);

/** shim_keeper_find() - before main(): find the keeper's program */
void shim_keeper_find(void);

#pragma GCC visibility pop
