/* SPDX-License-Identifier: MIT */
/* The kernel's limits for the buffers of sockets, and sizes above them. */
#pragma once

#include "smc_run/request.h"

/**
 * buffers_check() - of a command: raise the limits, if that was asked for, or warn
 * @way: in which the command was made to use SMC, or WAY_NONE
 *
 * Whoever has CAP_NET_ADMIN needs neither: the library then goes beyond the limit. eBPF sets no
 * buffers: nothing is done. It is the last step before the command, as others see what it does.
 *
 * Return: 0, or an exit status after a message.
 */
int buffers_check(const struct request *req, enum way way);

/** buffers_warn() - of a service that has no such right */
void buffers_warn(const struct request *req, const char *unit);
