/* SPDX-License-Identifier: MIT */
/* Full-screen access to a terminal: screen and keys. Links libc only. */
#pragma once

#include <signal.h>
#include <termios.h>

#include "base/libc.h"

/* Result of terminal_wait(): a printable character, or one of these. */
enum terminal_key {
	KEY_NONE = 0, /* timeout */
	KEY_UP = 256,
	KEY_DOWN,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_ESCAPE,
	KEY_OTHER,  /* any other key */
	KEY_REDRAW, /* the screen was resized, or used by others */
	KEY_STOP,   /* a signal requests the end, or the terminal is gone: see @signal */
};

/**
 * struct terminal - a terminal in full-screen mode
 * @before: its modes, to be restored; @mask: signals that were blocked before; @signals: signalfd
 * @signal: the last terminating one; SIGHUP: the terminal is gone
 * @keys, @n_keys: typed, but not returned yet
 */
struct terminal {
	struct termios before;
	sigset_t mask;
	int signals;
	int signal;
	char keys[64];
	size_t n_keys;
};

/** terminal_usable() - true if stdin and stdout are a terminal, and TERM is set and not dumb */
bool terminal_usable(void);

/** terminal_open() - alternate screen, single keys; from now on terminal_wait() takes signals */
int terminal_open(struct terminal *terminal);

/** terminal_close() - restore modes and the previous screen */
void terminal_close(struct terminal *terminal);

/**
 * terminal_wait() - the next key or signal within @seconds: enum terminal_key, or a character
 *
 * Handles Ctrl-Z: restores the terminal, stops this process, and later reopens the terminal.
 */
int terminal_wait(struct terminal *terminal, double seconds);

/**
 * terminal_key() - decode the first key of bytes from a terminal: enum terminal_key, or a character
 * @is_all: no more bytes follow soon: a lone escape character is a key
 * @used: receives the number of bytes; 0: the sequence is incomplete
 */
int terminal_key(const char *bytes, size_t len, bool is_all, size_t *used);
