/* SPDX-License-Identifier: MIT */
/* Pass files to another process: a byte and descriptors in a message of an AF_UNIX socket. */
#pragma once

/** passfd_send() - send @fd, which stays open here. Return: 0, or -errno */
int passfd_send(int to, int fd, unsigned char byte);

/* Maximum descriptors per message. */
#define PASSFD_MOST 4

/**
 * passfd_receive() - receive descriptors, with O_CLOEXEC, and the byte; never waits
 * @n: expected number, PASSFD_MOST at most
 *
 * Return: 0; -ENOMSG if there is no message, or one with unexpected content, whose descriptors are
 * closed; -errno.
 */
int passfd_receive(int from, unsigned char *byte, int *fds, int n);
