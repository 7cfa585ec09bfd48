/* SPDX-License-Identifier: MIT */
/* The kernel's limits for socket buffers, and sizes above them. */
#pragma once

#include "launch/launch.h"

/* Decimal digits of any size in bytes, and NUL. */
#define BUFFER_TEXT 24

/**
 * buffers_default() - default size, with which SMC is faster than TCP
 * @variable: VAR_RCVBUF or VAR_SNDBUF; others have no default
 * @may_exceed: the program may, and then will, exceed net.core.rmem_max and wmem_max; else the size
 *	is within them
 *
 * Values of net.smc.rmem or wmem set by the administrator take precedence. Linux before 6.1 has
 * neither: its sizes are those of TCP.
 *
 * Return: @text, or NULL to leave the kernel's own size.
 */
const char *buffers_default(enum smc_variable variable, bool may_exceed, char text[BUFFER_TEXT]);

/** buffers_may_exceed() - may this process and its children exceed the limits? */
bool buffers_may_exceed(void);

/**
 * buffers_check() - for a command: raise the limits if requested, or warn
 * @way: the way in which the command uses SMC, or WAY_NONE
 *
 * With CAP_NET_ADMIN neither is needed: the library then exceeds the limit. eBPF sets no buffers:
 * nothing is done. Call it last before the command, as the change is visible to others.
 *
 * Return: 0, or an exit status after a message.
 */
int buffers_check(const struct launch *launch, enum way way);

/** buffers_warn() - warn about a service without CAP_NET_ADMIN */
void buffers_warn(const struct launch *launch, const char *unit);
