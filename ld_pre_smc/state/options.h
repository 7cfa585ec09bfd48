/* SPDX-License-Identifier: MIT */
/* Options that this process has ever asked setsockopt(2), fcntl(2) and ioctl(2) for. */
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/** shim_option_note() - setsockopt(2) is asked for this option. No system call */
void shim_option_note(int level, int name);

/** shim_option_name() - of two names of one setting the one that is copied to another socket */
int shim_option_name(int level, int name);

/**
 * shim_option_was_set() - whether any socket of this process may have had this option set
 *
 * Another process may have set some: a helper with more rights, to which the descriptor was passed.
 * Those that need such rights always may have been. Names beyond those that Linux has never were.
 */
bool shim_option_was_set(int level, int name);

/* Whether F_SETOWN, F_SETSIG or the like was ever asked for. */
extern bool shim_has_owners;

#pragma GCC visibility pop
