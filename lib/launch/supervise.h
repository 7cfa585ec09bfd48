/* SPDX-License-Identifier: MIT */
/* A process that opens the SMC sockets of a command, and of all that it starts. */
#pragma once

#include "base/err.h"
#include "launch/launch.h"

/**
 * supervise() - from now on the TCP sockets of this process, and of all it starts, are SMC sockets
 * @argv: of the command: the last arguments of this process; the supervisor forgets them
 *
 * Nothing is done where a process outside, or eBPF, sees to that already.
 *
 * Return: 0; -EPIPE with a sentence if it cannot be taken back: this process must not go on;
 * another -errno with a sentence, nothing has happened then.
 */
int supervise(const struct launch *launch, char *const *argv, struct smc_err *err);
