/* SPDX-License-Identifier: MIT */
/* Result of a non-blocking connect(2). */
#pragma once

#include "ld_pre_smc/state/fd.h"

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
int shim_connect_verdict(struct shim_fd *fd, int err);

#pragma GCC visibility pop
