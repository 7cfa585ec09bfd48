/* SPDX-License-Identifier: MIT */
/* What became of a non-blocking connect(2). */
#pragma once

#pragma GCC visibility push(hidden)

/**
 * shim_connect_verdict() - the answer to a program that asks for SO_ERROR
 * @err: what the kernel said, not 0
 *
 * If the SMC handshake broke, a TCP socket takes the place of the SMC one and connects, once,
 * without waiting: the program then waits for it to be ready for writing, as it would have.
 *
 * Return: 0 if that is connected or in progress, else the error. Leaves errno as it was.
 */
int shim_connect_verdict(int fd, int err);

#pragma GCC visibility pop
