/* SPDX-License-Identifier: MIT */
/* The kernel's limits for socket buffers, and sizes above them. */
#pragma once

#include "launch/launch.h"

/* Decimal digits of any size in bytes, and NUL. */
#define BUFFER_TEXT 24

/**
 * buffers_default() - default size, with which SMC is faster than TCP
 * @variable: VAR_RCVBUF or VAR_SNDBUF; others have no default
 * @may_exceed: the program may exceed net.core.rmem_max and wmem_max; otherwise these limit the
 *	size
 *
 * Values of net.smc.rmem or wmem set by the administrator take precedence. Linux before 6.1 has
 * neither: its sizes are those of TCP.
 *
 * Return: @text, or NULL to leave the kernel's own size.
 */
const char *buffers_default(enum smc_variable variable, bool may_exceed, char text[BUFFER_TEXT]);

/** buffers_memory() - bytes of the machine, 0 if unknown */
unsigned long long buffers_memory(void);

/** buffers_may_exceed() - true if this process and its children may exceed the limits */
bool buffers_may_exceed(void);

/**
 * buffers_may_raise() - before anything else: check that --raise-limits, if given, works
 * Return: 0, or an exit status after a message.
 */
int buffers_may_raise(const struct launch *launch);

/**
 * buffers_check() - before a command: raise the kernel's limits if requested; else warn about them
 * @way: the way in which the command uses SMC, or WAY_NONE
 *
 * Does nothing with CAP_NET_ADMIN, because the library then exceeds the limits, or with eBPF, which
 * sets no buffers. Call it just before the command, because other programs see the change.
 *
 * Return: 0, or an exit status after a message.
 */
int buffers_check(const struct launch *launch, enum way way);

/** buffers_warn() - warn about a service without CAP_NET_ADMIN */
void buffers_warn(const struct launch *launch, const char *unit);
