/* SPDX-License-Identifier: MIT */
/* Make untrusted text in messages safe for the terminal. */
#pragma once

#include "base/libc.h"

/**
 * cli_printable() - copy text such that a terminal shows it as one line
 * @size: of @out, at least 1; truncates, but never within a character
 *
 * Control characters (C0, DEL, C1), invalid UTF-8, line separators and direction marks become \xNN.
 * A backslash is kept: shell words in a message stay shell words.
 */
void cli_printable(char *out, size_t size, const char *text);
