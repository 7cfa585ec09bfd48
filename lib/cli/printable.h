/* SPDX-License-Identifier: MIT */
/* Messages may quote what a stranger chose: no byte of it may drive the reader's terminal. */
#pragma once

#include <stddef.h>

/**
 * cli_printable() - copy text so that a terminal shows it as one line
 * @size: of @out, at least 1; what does not fit is cut, never within a character
 *
 * Control characters (C0, DEL, C1), bytes that are not UTF-8, and what ends a line or turns the
 * direction of writing become \xNN. A backslash stays: shell words in a message stay words.
 */
void cli_printable(char *out, size_t size, const char *text);
