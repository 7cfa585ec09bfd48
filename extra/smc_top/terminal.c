// SPDX-License-Identifier: MIT
/* Full-screen access to a terminal: screen and keys. */
#include "base/libc.h"
#include "smc_top/terminal.h"

#include <poll.h>
#include <sys/signalfd.h>

#include "base/array.h"
#include "base/clock.h"

#define ESC '\033'
/* Timeout for the remaining bytes of a key. */
#define REST_MS 50

/* Enter the alternate screen, clear it, hide the cursor; and back. */
static const char screen_on[] = "\033[?1049h\033[H\033[J\033[?25l";
static const char screen_off[] = "\033[?25h\033[?1049l";

static const int taken[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH };

bool terminal_usable(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

static void say(const char *sequence)
{
	/* Ignore errors, which mean that the terminal is gone. */
	(void)!write(STDOUT_FILENO, sequence, strlen(sequence));
}

static int take(struct terminal *terminal)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &terminal->before))
		return -errno;
	raw = terminal->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw))
		return -errno;
	say(screen_on);
	return 0;
}

static void give_back(const struct terminal *terminal)
{
	say(screen_off);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->before);
}

int terminal_open(struct terminal *terminal)
{
	sigset_t set;
	int ret;

	*terminal = (struct terminal){ .signals = -1 };
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		sigaddset(&set, taken[i]);
	terminal->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (terminal->signals < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &set, &terminal->mask);
	ret = take(terminal);
	if (!ret)
		return 0;
	sigprocmask(SIG_SETMASK, &terminal->mask, NULL);
	close(terminal->signals);
	return ret;
}

void terminal_close(struct terminal *terminal)
{
	give_back(terminal);
	sigprocmask(SIG_SETMASK, &terminal->mask, NULL);
	close(terminal->signals);
}

/* ---- keys ---- */

/* Sequences after the escape character: xterm, the Linux console, screen, and similar ones. */
static const struct {
	const char *bytes;
	int key;
} sequences[] = {
	{ "[A", KEY_UP },	{ "OA", KEY_UP },	  { "[B", KEY_DOWN }, { "OB", KEY_DOWN },
	{ "[5~", KEY_PAGE_UP }, { "[6~", KEY_PAGE_DOWN }, { "[H", KEY_HOME }, { "OH", KEY_HOME },
	{ "[1~", KEY_HOME },	{ "[7~", KEY_HOME },	  { "[F", KEY_END },  { "OF", KEY_END },
	{ "[4~", KEY_END },	{ "[8~", KEY_END },
};

/* Length of "[...X" or "OX" after the escape character; 0: incomplete. */
static size_t sequence_length(const char *bytes, size_t len)
{
	size_t i = 1;

	if (bytes[0] == 'O')
		return len > 1 ? 2 : 0;
	while (i < len && bytes[i] >= 0x20 && bytes[i] < 0x40)
		i++;
	return i < len ? i + 1 : 0;
}

int terminal_key(const char *bytes, size_t len, bool is_all, size_t *used)
{
	size_t length;

	*used = 1;
	if (bytes[0] == '\f')
		return KEY_REDRAW;
	if (bytes[0] != ESC)
		return bytes[0] >= ' ' && bytes[0] < 0x7f ? bytes[0] : KEY_OTHER;
	if (len == 1 || (bytes[1] != '[' && bytes[1] != 'O')) {
		*used = len > 1 || is_all;
		return KEY_ESCAPE;
	}
	length = sequence_length(bytes + 1, len - 1);
	if (!length) {
		*used = is_all ? len : 0;
		return KEY_OTHER;
	}
	*used = 1 + length;
	for (size_t i = 0; i < ARRAY_SIZE(sequences); i++)
		if (strlen(sequences[i].bytes) == length &&
		    !memcmp(sequences[i].bytes, bytes + 1, length))
			return sequences[i].key;
	return KEY_OTHER;
}

static int next_key(struct terminal *terminal, bool is_all)
{
	size_t used;
	int key;

	if (!terminal->n_keys)
		return KEY_NONE;
	/* A sequence that fills the buffer is invalid. */
	is_all |= terminal->n_keys == sizeof(terminal->keys);
	key = terminal_key(terminal->keys, terminal->n_keys, is_all, &used);
	if (!used)
		return KEY_NONE;
	terminal->n_keys -= used;
	memmove(terminal->keys, terminal->keys + used, terminal->n_keys);
	return key;
}

/* ---- waiting ---- */

static int stop_for(struct terminal *terminal, int signal)
{
	terminal->signal = signal;
	return KEY_STOP;
}

/* Stopped until SIGCONT; after that, another process may own the terminal. */
static int pause_here(struct terminal *terminal)
{
	give_back(terminal);
	raise(SIGSTOP);
	return take(terminal) ? stop_for(terminal, SIGHUP) : KEY_REDRAW;
}

static int on_signal(struct terminal *terminal)
{
	struct signalfd_siginfo info;

	if (read(terminal->signals, &info, sizeof(info)) != sizeof(info))
		return KEY_NONE;
	switch (info.ssi_signo) {
	case SIGTSTP: return pause_here(terminal);
	case SIGCONT:
	case SIGWINCH: return KEY_REDRAW;
	default: return stop_for(terminal, (int)info.ssi_signo);
	}
}

static int64_t milliseconds(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* Return: a key, or KEY_NONE with the input in the buffer. */
static int read_keys(struct terminal *terminal, short events)
{
	ssize_t len = read(STDIN_FILENO, terminal->keys + terminal->n_keys,
			   sizeof(terminal->keys) - terminal->n_keys);

	/* Readable without data: the terminal is gone. */
	if (len < 0 ? errno != EAGAIN && errno != EINTR : !len && events & POLLHUP)
		return stop_for(terminal, SIGHUP);
	terminal->n_keys += len > 0 ? (size_t)len : 0;
	return next_key(terminal, false);
}

int terminal_wait(struct terminal *terminal, double seconds)
{
	struct pollfd fds[] = { { .fd = terminal->signals, .events = POLLIN },
				{ .fd = STDIN_FILENO, .events = POLLIN } };
	int64_t end = milliseconds() + (int64_t)(seconds * 1000 + 0.5), left;
	int key = next_key(terminal, false), count;

	while (key == KEY_NONE) {
		left = end - milliseconds();
		if (terminal->n_keys && left > REST_MS)
			left = REST_MS;
		left = left > 0 ? left : 0;
		count = poll(fds, 2, (int)(left < INT32_MAX ? left : INT32_MAX));
		if (!count && terminal->n_keys)
			key = next_key(terminal, true);
		else if (!count && milliseconds() >= end)
			return KEY_NONE;
		else if (count > 0 && fds[0].revents)
			key = on_signal(terminal);
		else if (count > 0 && fds[1].revents)
			key = read_keys(terminal, fds[1].revents);
	}
	return key;
}
