/* SPDX-License-Identifier: MIT */
/* What socket(2) did, and which variables it ignored, in words. */
#ifndef SHIM_SOCKET_LOG_H
#define SHIM_SOCKET_LOG_H

#include <stdbool.h>

#include "ld_pre_smc/config.h"

#pragma GCC visibility push(hidden)

/* SOCK_NONBLOCK and SOCK_CLOEXEC share the argument with the type: include/linux/net.h. */
#define SOCK_TYPE_BITS 0xf

/**
 * struct socket_attempt - how one socket was opened
 * @fd: the socket, or -1
 * @err: errno if @fd is -1
 * @kind: enum shim_kind: what @fd is
 * @refused: errno of each kind that was refused
 * @remembered: the kernel was not asked this time
 * @sndbuf_err, @rcvbuf_err: errno of setting the size, or 0
 */
struct socket_attempt {
	int fd;
	int err;
	int kind;
	int refused[KINDS];
	bool remembered[KINDS];
	int sndbuf_err, rcvbuf_err;
};

/** log_socket() - the one line about an attempt; @domain, @type, @protocol: what was asked for */
void log_socket(const struct socket_attempt *try, const struct shim_config *cfg, int domain,
		int type, int protocol);

/**
 * log_invalid() - a line for each variable whose value is ignored, once
 *
 * A library cannot refuse to start a program: it says what it ignores, and goes on. At the first
 * socket it could matter for: programs that never open one stay silent.
 */
void log_invalid(const struct shim_config *cfg);

#pragma GCC visibility pop

#endif
