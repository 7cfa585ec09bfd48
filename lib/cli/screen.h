/* SPDX-License-Identifier: MIT */
/* The terminal on stdout: its size and abilities. Links libc only. */
#pragma once

#include "base/libc.h"

/* Option row of --color, for tools with colors; cli_parse() handles it. */
#define CLI_COLOR_OPTION                                                                           \
	{                                                                                          \
		.val = CLI_OPT_COLOR, .name = "color", .arg = "WHEN",                              \
		.help = "color the text: auto, always or never"                                    \
	}

/** cli_color_words - arguments of --color, ended by NULL */
extern const char *const cli_color_words[];

/**
 * cli_choose_color() - choose by index into cli_color_words. Return: true for -1, an unknown word
 * The choice is kept in the environment, for tools that this one starts.
 */
bool cli_choose_color(int word);

/** cli_columns() - width of the terminal, at least 20; 80 if unknown; 0 if stdout is none */
size_t cli_columns(void);

/** cli_rows() - rows of the terminal; 24 if it does not know */
size_t cli_rows(void);

/**
 * cli_has_color() - true if stdout should be colored
 *
 * On a terminal without TERM=dumb, NO_COLOR and CLICOLOR=0; elsewhere with CLICOLOR_FORCE.
 */
bool cli_has_color(void);

/** cli_has_utf8() - true if the locale's name has UTF-8; a confined tool cannot load the locale */
bool cli_has_utf8(void);

/** cli_progress() - show or replace a line on stderr, if that is a terminal */
void cli_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** cli_say() - write a line on stderr, wrapped if that is a terminal */
void cli_say(const char *line);

/** cli_none() - write on stderr that there is nothing to show, if stdout is a terminal */
void cli_none(const char *sentence);

/** cli_progress_end() - remove the line of cli_progress(), before output that bypasses lib/cli */
void cli_progress_end(void);
