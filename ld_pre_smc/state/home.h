/* SPDX-License-Identifier: MIT */
/* Which namespaces this thread is in, and whether smc_keep is in the same. */
#pragma once

#include <stdbool.h>

#include "smc/keep.h"

#pragma GCC visibility push(hidden)

/**
 * shim_home_find() - where the calling thread is at home
 * @home: filled in
 *
 * Return: false if that is not known: without /proc, or with that of another PID namespace, and for
 * a user that the user namespace does not know.
 */
bool shim_home_find(struct keep_home *home);

/**
 * shim_home_has() - whether a process is a smc_keep of this home
 * @home: of the calling thread
 * @pid: what SO_PEERCRED says about a socket with the name of keep_address()
 *
 * The process may have ended, and another one have its number: but no other smc_keep of the same
 * home, as it would have the name.
 */
bool shim_home_has(const struct keep_home *home, int pid);

#pragma GCC visibility pop
