/* SPDX-License-Identifier: MIT */
/* A file for another process: one byte and one descriptor in a message of an AF_UNIX socket. */
#pragma once

/** passfd_send() - send @fd, which stays open here. Return: 0, or -errno */
int passfd_send(int to, int fd, unsigned char byte);

/**
 * passfd_receive() - receive one, closed by exec; never waits
 * @byte: receives what came with it
 *
 * Return: the descriptor; -ENOMSG if there is no message, or one with another content; -errno.
 */
int passfd_receive(int from, unsigned char *byte);
