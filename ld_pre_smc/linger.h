/* SPDX-License-Identifier: MIT */
/* SO_LINGER across calls that would turn its seconds into 0. */
#ifndef SHIM_LINGER_H
#define SHIM_LINGER_H

#include <sys/socket.h>

#pragma GCC visibility push(hidden)

/**
 * shim_linger_hide() - take SO_LINGER with a time away from a socket
 * @kept: what it was; all zero if there was none
 *
 * connect() and listen() hand on to the TCP socket that there is SO_LINGER, but not its time: when
 * the connection then falls back, close() resets it and data is lost (net/smc/af_smc.c,
 * smc_copy_sock_settings_to_clc()). A time of 0 asks for that and stays. Leaves errno as it was.
 */
void shim_linger_hide(int fd, struct linger *kept);

/* Give it back, to whatever the socket is now. Leaves errno as it was. */
void shim_linger_show(int fd, const struct linger *kept);

#pragma GCC visibility pop

#endif
