/* SPDX-License-Identifier: MIT */
/* Result of a non-blocking connect(2), and its end by shutdown(2). */
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * shim_connect_verdict() - compute the value of SO_ERROR for the program
 * @err: the kernel's value, not 0
 *
 * If the SMC handshake broke, a TCP socket replaces the SMC one and connects, once, without
 * waiting: the program then waits for it to become writable, as before.
 *
 * Return: 0 if that is connected or in progress, else the error. Preserves errno.
 */
int shim_connect_verdict(int fd, int err);

/**
 * shim_connect_shut() - shutdown(2) while a non-blocking connect(2) is in progress
 *
 * It ends TCP's attempt, but not SMC's: a TCP socket takes the place, connects and is shut down.
 * connect() makes it an SMC socket again.
 *
 * Return: true if the attempt has ended; false if there is none, or no TCP socket.
 */
bool shim_connect_shut(int fd, int how);

#pragma GCC visibility pop
