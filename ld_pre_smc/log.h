/* SPDX-License-Identifier: MIT */
/* One line of text for standard error, built and written without stdio and without memory. */
#ifndef SHIM_LOG_H
#define SHIM_LOG_H

#include <stddef.h>

struct shim_config;

#pragma GCC visibility push(hidden)

struct log_line {
	size_t len;
	char text[320];
};

/** log_start() - begin with "ld_pre_smc[PID]: " */
void log_start(struct log_line *line);

/** log_text() - append; what does not fit is cut */
void log_text(struct log_line *line, const char *text);

/** log_number() - append a decimal number */
void log_number(struct log_line *line, long number);

/** log_errno() - append the name of an error number; strerror(3) is not async-signal-safe */
void log_errno(struct log_line *line, int err);

/**
 * log_write() - end the line and hand it to standard error by one write(2)
 *
 * Only if fd 2 still is the file that the program was started with: programs close fd 2 and then
 * get it again as a socket or a data file, where no line of this library may
 * end up. A reader that has gone away costs the line, never the program: SIGPIPE is held back.
 * Leaves errno as it was.
 */
void log_write(struct log_line *line, const struct shim_config *cfg);

/**
 * shim_log_fd() - one line about a file descriptor, if SMC_DEBUG is on: "fd 3: WHAT"
 * @became: if not NULL: "fd 3: WHAT -> BECAME"
 * @bind_err: if not 0: "fd 3: WHAT -> BECAME, bind: EADDRINUSE"
 */
void shim_log_fd(int fd, const char *what, const char *became, int bind_err);

#pragma GCC visibility pop

#endif
