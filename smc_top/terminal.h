/* SPDX-License-Identifier: MIT */
/* Full-screen access to a terminal: screen and keys. Links libc only. */
#pragma once

#include <signal.h>
#include <termios.h>

#include "base/libc.h"

/* Result of cli_terminal_wait(): a printable character, or one of these. */
enum cli_key {
	CLI_KEY_NONE = 0, /* timeout */
	CLI_KEY_UP = 256,
	CLI_KEY_DOWN,
	CLI_KEY_PAGE_UP,
	CLI_KEY_PAGE_DOWN,
	CLI_KEY_HOME,
	CLI_KEY_END,
	CLI_KEY_ESCAPE,
	CLI_KEY_OTHER,	/* any other key */
	CLI_KEY_REDRAW, /* the screen was resized, or used by others */
	CLI_KEY_STOP,	/* a signal requests the end, or the terminal is gone: see @signal */
};

/**
 * struct cli_terminal - a terminal in full-screen mode
 * @before: its modes, to be restored
 * @mask: signals that were blocked before
 * @signals: signalfd
 * @signal: the last terminating one; SIGHUP: the terminal is gone
 * @keys, @n_keys: typed, but not returned yet
 */
struct cli_terminal {
	struct termios before;
	sigset_t mask;
	int signals;
	int signal;
	char keys[64];
	size_t n_keys;
};

/**
 * cli_terminal_usable() - are stdin and stdout a terminal that supports common escape sequences?
 *	False with TERM=dumb, or none
 */
bool cli_terminal_usable(void);

/**
 * cli_terminal_open() - switch to the alternate screen, and read single keys
 *
 * From now on cli_terminal_wait() takes signals that end, stop or resize. Return: 0, -errno.
 */
int cli_terminal_open(struct cli_terminal *terminal);

/** cli_terminal_close() - restore modes and the previous screen */
void cli_terminal_close(struct cli_terminal *terminal);

/**
 * cli_terminal_wait() - the next key or signal within @seconds: enum cli_key, or a character
 *
 * Handles Ctrl-Z: restores the terminal, stops this process, and reopens the terminal when it is
 * continued.
 */
int cli_terminal_wait(struct cli_terminal *terminal, double seconds);

/**
 * cli_key() - decode the first key of one or more bytes from a terminal: enum cli_key, or a
 *	character
 * @is_all: no more bytes follow soon: a lone escape character is a key
 * @used: receives the number of bytes; 0: the sequence is incomplete
 */
int cli_key(const char *bytes, size_t len, bool is_all, size_t *used);
