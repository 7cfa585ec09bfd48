/* SPDX-License-Identifier: MIT */
/* A command that is to use SMC: by the library in its environment, by eBPF, or by a supervisor. */
#pragma once

#include "smc_run/request.h"

/**
 * command_prepare() - everything before exec: checks, then environment, mark or supervisor
 * @argv: the command and its arguments
 *
 * Return: 0, or an exit status after a message.
 */
int command_prepare(const struct request *req, char *const *argv);
