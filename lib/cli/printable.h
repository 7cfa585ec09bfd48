/* SPDX-License-Identifier: MIT */
/* Messages may quote what a stranger chose: no byte of it may drive the reader's terminal. */
#pragma once

#include <stddef.h>

/**
 * cli_printable() - copy text so that a terminal shows it as one line
 * @size: of @out, at least 1; what does not fit is cut, never within a character
 *
 * ASCII and UTF-8 stay as they are, since it may be what the user typed. Control characters (C0,
 * DEL, C1), bytes that are not UTF-8, and what ends a line or turns the direction of writing become
 * \xNN. A backslash stays, so that shell words in a message stay words. Needs no memory.
 */
void cli_printable(char *out, size_t size, const char *text);
