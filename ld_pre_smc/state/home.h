/* SPDX-License-Identifier: MIT */
/* Namespaces of this thread, and whether smc_keep is in the same. */
#pragma once

#include <stdbool.h>

#include "smc/keep.h"

#pragma GCC visibility push(hidden)

/**
 * shim_home_find() - user and namespaces of the calling thread
 * @home: filled in
 *
 * Return: false if they are unknown: without /proc, or with that of another PID namespace, and for
 * a user without a mapping in the user namespace.
 */
bool shim_home_find(struct keep_home *home);

/**
 * shim_home_has() - true if a process is smc_keep, in this home
 * @home: of the calling thread
 * @pid: SO_PEERCRED of a socket with the name of keep_address()
 *
 * The process may have ended, and its number been reused: but not by another smc_keep of the same
 * home, as it would have the name.
 */
bool shim_home_has(const struct keep_home *home, int pid);

#pragma GCC visibility pop
