/* SPDX-License-Identifier: MIT */
/* A command that is to use SMC: by the library in its environment, by eBPF, or by a supervisor. */
#pragma once

#include "launch/launch.h"

/**
 * launch_prepare() - everything before exec: checks, then environment, mark or supervisor
 * @argv: the command and its arguments
 *
 * Return: 0, or an exit status after a message.
 */
int launch_prepare(const struct launch *launch, char *const *argv);
