/* SPDX-License-Identifier: MIT */
/* Helper processes that outlive the program they serve. */
#pragma once

#include <sys/types.h>

/**
 * helper_fork() - fork(2), but the child sends no signal when it ends
 *
 * wait(2) ignores it without __WCLONE. Return: like fork(), or -errno.
 */
pid_t helper_fork(void);

/**
 * helper_detach() - drop inherited files, signals, session, directory and capabilities
 * @keep: the one file that stays open, as descriptor 0; 1 and 2 become /dev/null
 *
 * Raises the limit of descriptors to its maximum. Return: 0, or -errno: the helper must end.
 */
int helper_detach(int keep);

/* ---- files passed to another process ---- */

/** passfd_send() - send @fd, which stays open here. Return: 0, or -errno */
int passfd_send(int to, int fd, unsigned char byte);

/* Maximum descriptors per message. */
#define PASSFD_MOST 4

/**
 * passfd_receive() - receive descriptors, with O_CLOEXEC, and the byte; never waits
 * @n: expected number, PASSFD_MOST at most
 *
 * Return: 0; -ENOMSG without a message, or with an unexpected one, which is closed; -errno.
 */
int passfd_receive(int from, unsigned char *byte, int *fds, int n);
