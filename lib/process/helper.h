/* SPDX-License-Identifier: MIT */
/* Processes that serve a program from outside it, and outlive who started them. */
#pragma once

#include <sys/types.h>

/**
 * helper_fork() - fork(2), but nobody gets a signal when the child ends
 *
 * Wait for it with __WCLONE; wait(2) without that does not see it.
 *
 * Return: as fork(), or -errno.
 */
pid_t helper_fork(void);

/**
 * helper_detach() - leave what was inherited: files, signals, session, directory, rights
 * @keep: the one file that stays, as descriptor 0
 *
 * Descriptors 1 and 2 are /dev/null, the limit of descriptors is as high as it may be, signals have
 * their default effect, and no capability is left.
 *
 * Return: 0, or -errno: it cannot go on.
 */
int helper_detach(int keep);
