/* SPDX-License-Identifier: MIT */
/* Supervisor that opens the SMC sockets of a command and its children. */
#pragma once

#include "base/err.h"
#include "launch/launch.h"

/**
 * supervise() - from now on, TCP sockets of this process and its children are SMC sockets
 * @argv: of the command: the last arguments of this process; wiped in the supervisor
 *
 * Does nothing if an outer supervisor, or eBPF, does this already.
 *
 * Return: 0; -EPIPE with a sentence if it cannot be undone: this process must not continue; another
 * -errno with a sentence, with no effect.
 */
int supervise(const struct launch *launch, char *const *argv, struct smc_err *err);
