/* SPDX-License-Identifier: MIT */
/* A whole screen of a terminal, and the keys typed at it. Links libc only. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* What cli_terminal_wait() returns: a printable character as itself, or one of these. */
enum cli_key {
	CLI_KEY_NONE = 0, /* the time is over */
	CLI_KEY_UP = 256,
	CLI_KEY_DOWN,
	CLI_KEY_PAGE_UP,
	CLI_KEY_PAGE_DOWN,
	CLI_KEY_HOME,
	CLI_KEY_END,
	CLI_KEY_ESCAPE,
	CLI_KEY_OTHER,	/* a key that has no name here */
	CLI_KEY_REDRAW, /* the screen has another size, or it was somebody else's for a while */
	CLI_KEY_STOP,	/* a signal wants an end, or the terminal has gone: see @signal */
};

/**
 * struct cli_terminal - a terminal that is ours
 * @before: its modes, to be restored
 * @mask: signals that were blocked before
 * @signals: descriptor that tells of signals
 * @signal: that came last, of those that want an end; SIGHUP: the terminal has gone
 * @keys, @n_keys: typed, and not handed over yet
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
 * cli_terminal_usable() - are stdin and stdout a terminal that knows the escape sequences of the
 *	last decades? With TERM=dumb, or none, it does not
 */
bool cli_terminal_usable(void);

/**
 * cli_terminal_open() - take the terminal: keys come one at a time, and the screen is another one
 *
 * cli_terminal_wait() takes signals that would end, stop or resize from now on. Return: 0, -errno.
 */
int cli_terminal_open(struct cli_terminal *terminal);

/** cli_terminal_close() - give it back as it was, with its old screen */
void cli_terminal_close(struct cli_terminal *terminal);

/**
 * cli_terminal_wait() - the next key or signal within @seconds: enum cli_key, or a character
 *
 * Ctrl-Z is done here: the terminal is given back, this process stops, and when it goes on it takes
 * the terminal again.
 */
int cli_terminal_wait(struct cli_terminal *terminal, double seconds);

/**
 * cli_key() - enum cli_key, or a character, from the bytes that a terminal sends for it, 1 or more
 * @is_all: nothing more comes soon: an escape character was the key
 * @used: receives how many bytes that was; 0: the rest of it is still to come
 */
int cli_key(const char *bytes, size_t len, bool is_all, size_t *used);
