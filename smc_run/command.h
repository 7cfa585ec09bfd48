/* SPDX-License-Identifier: MIT */
/* A command that is to use SMC: by the library in its environment, or by eBPF. */
#pragma once

#include "smc_run/request.h"

/**
 * command_prepare() - everything before exec: checks, and the environment or a mark for eBPF
 *
 * Return: 0, or an exit status after a message.
 */
int command_prepare(const struct request *req, const char *command);
