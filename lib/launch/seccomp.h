/* SPDX-License-Identifier: MIT */
/* The supervisor that the settings ask for. */
#pragma once

#include "base/err.h"
#include "launch/launch.h"

/**
 * seccomp_start() - a supervisor for the TCP sockets of this process, and of all it starts
 * @argv: of the command
 *
 * Nothing is done where a process outside, or eBPF, sees to that already.
 *
 * Return: as supervise().
 */
int seccomp_start(const struct launch *launch, char *const *argv, struct smc_err *err);
