/* SPDX-License-Identifier: MIT */
/* Lines of text for standard error, built and written without stdio and without memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ld_pre_smc/state/config.h"

#pragma GCC visibility push(hidden)

struct log_line {
	size_t len;
	char text[320];
};

/** log_start() - begin with "ld_pre_smc[PID]: " */
void log_start(struct log_line *line);

/**
 * log_format() - append; what does not fit is cut, a NUL follows
 * @fmt: %s is a string, %d an int, %e the name of an error number: neither printf(3) nor
 *	strerror(3) is async-signal-safe
 */
void log_format(struct log_line *line, const char *fmt, ...);

/**
 * log_write() - end the line and hand it to standard error by one write(2)
 *
 * Only if fd 2 still is the file that the program was started with: programs close fd 2 and then
 * get it again as a socket or a data file, where no line of this library may end up. A reader that
 * has gone away costs the line, never the program: SIGPIPE is held back.
 * Leaves errno as it was.
 */
void log_write(struct log_line *line, const struct shim_config *cfg);

/**
 * shim_log_fd() - one line about a file descriptor, if SMC_DEBUG is on: "fd 3: WHAT"
 * @became: if not NULL: "fd 3: WHAT -> BECAME"
 * @bind_err: if not 0: "fd 3: WHAT -> BECAME, bind: EADDRINUSE"
 */
void shim_log_fd(int fd, const char *what, const char *became, int bind_err);

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
