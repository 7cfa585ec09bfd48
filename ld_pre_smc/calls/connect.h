/* SPDX-License-Identifier: MIT */
/* Result of a non-blocking connect(2). */
#pragma once

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

#pragma GCC visibility pop
