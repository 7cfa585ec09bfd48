/* SPDX-License-Identifier: MIT */
/* The kernel's limits for the buffers of sockets, and sizes above them. */
#pragma once

#include "launch/launch.h"

/* Decimal digits of any size in bytes, and the end of the text. */
#define BUFFER_TEXT 24

/**
 * buffers_default() - the size where nobody asked for one: what makes SMC faster than TCP
 * @variable: VAR_RCVBUF or VAR_SNDBUF; no other has a default
 * @may_exceed: may the program go beyond net.core.rmem_max and wmem_max? Then it will, else its
 *		size is within them
 *
 * An administrator who has set net.smc.rmem or wmem knows better. Linux before 6.1 has neither: its
 * sizes are those of TCP.
 *
 * Return: @text, or NULL: the kernel's own.
 */
const char *buffers_default(enum smc_variable variable, bool may_exceed, char text[BUFFER_TEXT]);

/** buffers_may_exceed() - may this process, and what it starts, go beyond the limits? */
bool buffers_may_exceed(void);

/**
 * buffers_check() - of a command: raise the limits, if that was asked for, or warn
 * @way: in which the command was made to use SMC, or WAY_NONE
 *
 * With CAP_NET_ADMIN neither is needed: the library then goes beyond the limit. eBPF sets no
 * buffers: nothing is done. It is the last step before the command, as others see what it does.
 *
 * Return: 0, or an exit status after a message.
 */
int buffers_check(const struct launch *launch, enum way way);

/** buffers_warn() - of a service that has no such right */
void buffers_warn(const struct launch *launch, const char *unit);
