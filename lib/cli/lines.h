/* SPDX-License-Identifier: MIT */
/* Break text into lines for a terminal. Pure. */
#pragma once

#include "base/libc.h"

/** struct cli_piece - part of a text */
struct cli_piece {
	const char *data;
	size_t len;
};

/** cli_piece_columns() - width on a terminal: UTF-8 counts by character, styles have no width */
size_t cli_piece_columns(struct cli_piece piece);

/**
 * cli_take_line() - take from the start of @rest as much as fits into @width columns
 * @is_begun: the line has text already; the result may then be empty
 *
 * The line ends between words if possible, otherwise between characters. If they fit, 'commands to
 * type', quantities (64 KiB) and fields, which two blanks separate, stay whole.
 */
struct cli_piece cli_take_line(struct cli_piece *rest, size_t width, bool is_begun);
