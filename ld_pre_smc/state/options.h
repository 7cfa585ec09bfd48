/* SPDX-License-Identifier: MIT */
/* Options that this process has ever set by setsockopt(2), fcntl(2) and ioctl(2). */
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/** shim_option_name() - if an option has two names, the one that copies its setting */
int shim_option_name(int level, int name);

/** shim_option_note() - record that setsockopt(2) is called with this option, by that name */
void shim_option_note(int level, int name);

/**
 * shim_option_was_set() - true if any socket of this process may have this option set
 *
 * Another process may have set some: a privileged helper to which the descriptor was passed. Always
 * true for options that need privileges, always false for names that Linux does not define.
 */
bool shim_option_was_set(int level, int name);

/* An option of process/tcpguard.h was ever set. */
extern bool shim_has_protection;

/* SO_BINDTODEVICE was ever set, or a control group has set a device or a mark. */
extern bool shim_has_device;

/* F_SETOWN, F_SETSIG or the like was ever called. */
extern bool shim_has_owners;

#pragma GCC visibility pop
