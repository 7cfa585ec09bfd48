/* SPDX-License-Identifier: MIT */
/* The terminal that stdout is: its size, and what it can show. Links libc only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The row of --color, for tools that have something to color; cli_parse() takes it. */
#define CLI_COLOR_OPTION                                                                           \
	{                                                                                          \
		.val = CLI_OPT_COLOR, .name = "color", .arg = "WHEN",                              \
		.help = "color the text: auto, always or never"                                    \
	}

/** cli_color_words - what --color takes, ended by NULL */
extern const char *const cli_color_words[];

/**
 * cli_choose_color() - by the place of a word; -1: none. Return: whether it is none
 *
 * The environment keeps it, for tools that this one starts, too.
 */
bool cli_choose_color(int word);

/**
 * cli_columns() - columns of the terminal, 20 at least; 80 if it does not know, and $COLUMNS
 * neither
 *
 * Return: 0 if stdout is not a terminal.
 */
size_t cli_columns(void);

/** cli_rows() - rows of the terminal; 24 if it does not know */
size_t cli_rows(void);

/**
 * cli_has_color() - on a terminal that is not TERM=dumb, unless NO_COLOR or CLICOLOR=0 forbids it;
 * elsewhere if CLICOLOR_FORCE demands it
 */
bool cli_has_color(void);

/** cli_has_utf8() - is the locale one of UTF-8, by its name? A confined tool cannot load it */
bool cli_has_utf8(void);

/** cli_progress() - one line on stderr, if that is a terminal, in place of the one before */
void cli_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** cli_none() - a sentence on stderr, if stdout is a terminal, where there is nothing to show */
void cli_none(const char *sentence);

/** cli_progress_end() - take that line away, before other output; messages of lib/cli do */
void cli_progress_end(void);
