/* SPDX-License-Identifier: MIT */
/* Processes that serve a program from outside it, and outlive who started them. */
#pragma once

#include <sys/types.h>

/**
 * helper_fork() - fork(2), but nobody gets a signal when the child ends, nor sees it in wait(2)
 *	without __WCLONE. Return: as fork(), or -errno
 */
pid_t helper_fork(void);

/**
 * helper_detach() - leave what was inherited: files, signals, session, directory, rights
 * @keep: the one file that stays, as descriptor 0; 1 and 2 are /dev/null
 *
 * The limit of descriptors is as high as it may be. Return: 0, or -errno: it cannot go on.
 */
int helper_detach(int keep);
