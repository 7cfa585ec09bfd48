/* SPDX-License-Identifier: MIT */
/* Supervisor that opens the SMC sockets of a command and its children. */
#pragma once

#include "base/err.h"
#include "launch/launch.h"

/**
 * supervise() - turn the TCP sockets of this process and its children into SMC sockets from now on
 * @target: the command; unless an option asks for a supervisor, it is checked for changes of
 *	behaviour under the filter
 * @argv: of the command: the last arguments of this process; wiped in the supervisor
 *
 * Does nothing if an outer supervisor, or eBPF, does this already.
 */
enum attempt supervise(const struct launch *launch, const struct target *target, char *const *argv,
		       struct smc_err *err);
