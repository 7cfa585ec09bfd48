/* SPDX-License-Identifier: MIT */
/* Log lines on standard error, without stdio and without memory allocation. */
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
 * log_format() - append text, truncated to fit, NUL-terminated
 * @fmt: %s is a string, %d an int, %e the name of an error number: neither printf(3) nor
 *	strerror(3) is async-signal-safe
 */
void log_format(struct log_line *line, const char *fmt, ...);

/**
 * log_write() - end the line and write it to standard error by one write(2)
 *
 * Only if fd 2 is still the file from program start: programs close fd 2 and then get the number
 * again for a socket or a data file, which must never receive a line of this library. If the reader
 * is gone, only the line is lost: SIGPIPE is suppressed. Preserves errno.
 */
void log_write(struct log_line *line, const struct shim_config *cfg);

/**
 * shim_log_fd() - log a line about a descriptor, if SMC_DEBUG is on: "fd 3: WHAT"
 * @became: if not NULL: "fd 3: WHAT -> BECAME"
 * @bind_err: if not 0: "fd 3: WHAT -> BECAME, bind: EADDRINUSE"
 */
void shim_log_fd(int fd, const char *what, const char *became, int bind_err);

/** shim_log_text() - log a line, if SMC_DEBUG is on */
void shim_log_text(const char *text);

/* SOCK_NONBLOCK and SOCK_CLOEXEC share the argument with the type: include/linux/net.h. */
#define SOCK_TYPE_BITS 0xf

/**
 * struct socket_attempt - result of opening one socket
 * @fd: the socket, or -1; @err: errno if @fd is -1; @kind: enum shim_kind of @fd
 * @why: reason why some kinds were not tried, or NULL
 * @refused: errno of each kind that was refused
 * @remembered: a remembered result; the kernel was not asked
 * @buffer_errs: errno of SO_SNDBUF and SO_RCVBUF, or 0
 */
struct socket_attempt {
	int fd;
	int err;
	int kind;
	const char *why;
	int refused[KINDS];
	bool remembered[KINDS];
	int buffer_errs[2];
};

/** log_socket() - log an attempt; @domain, @type, @protocol: as requested */
void log_socket(const struct socket_attempt *try, const struct shim_config *cfg, int domain,
		int type, int protocol);

/**
 * log_invalid() - log once each variable whose value is ignored
 *
 * A library cannot refuse to start a program: it reports what it ignores, and continues. It does so
 * at the first socket that a variable could affect, so programs without sockets stay silent.
 */
void log_invalid(const struct shim_config *cfg);

#pragma GCC visibility pop
