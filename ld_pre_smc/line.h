/* SPDX-License-Identifier: MIT */
/* One line of text for standard error, built and written without stdio and without memory. */
#ifndef SHIM_LINE_H
#define SHIM_LINE_H

#include <stddef.h>

struct shim_config;

#pragma GCC visibility push(hidden)

struct line {
	size_t len;
	char text[320];
};

/** line_start() - begin with "ld_pre_smc[PID]: " */
void line_start(struct line *line);

/** line_text() - append; what does not fit is cut */
void line_text(struct line *line, const char *text);

/** line_number() - append a decimal number */
void line_number(struct line *line, long number);

/** line_errno() - append the name of an error number; strerror(3) is no function for handlers */
void line_errno(struct line *line, int err);

/**
 * line_send() - end the line and hand it to standard error by one write(2)
 *
 * Only if fd 2 still is the file that the program was started with: programs close fd 2 and then
 * get it again as a socket or a data file, where no line of ours may end up. A reader that has
 * gone away costs the line, never the program: SIGPIPE is held back. Leaves errno as it was.
 */
void line_send(struct line *line, const struct shim_config *cfg);

#pragma GCC visibility pop

#endif
