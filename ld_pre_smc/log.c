// SPDX-License-Identifier: MIT
/* One line of text for standard error, built and written without stdio and without memory. */
#include "ld_pre_smc/log.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ld_pre_smc/config.h"

/* One byte stays free for the newline. */
#define ROOM (sizeof(((struct log_line *)0)->text) - 1)

static const struct {
	int number;
	const char *name;
} errors[] = {
	{ EACCES, "EACCES" },
	{ EADDRINUSE, "EADDRINUSE" },
	{ EAFNOSUPPORT, "EAFNOSUPPORT" },
	{ EBADF, "EBADF" },
	{ EINVAL, "EINVAL" },
	{ EMFILE, "EMFILE" },
	{ ENFILE, "ENFILE" },
	{ ENOBUFS, "ENOBUFS" },
	{ ENOMEM, "ENOMEM" },
	{ ENOSYS, "ENOSYS" },
	{ EOPNOTSUPP, "EOPNOTSUPP" },
	{ EPERM, "EPERM" },
	{ EPROTONOSUPPORT, "EPROTONOSUPPORT" },
	{ ESOCKTNOSUPPORT, "ESOCKTNOSUPPORT" },
};

static void log_char(struct log_line *line, char c)
{
	if (line->len < ROOM)
		line->text[line->len++] = c;
}

void log_text(struct log_line *line, const char *text)
{
	while (*text)
		log_char(line, *text++);
}

void log_number(struct log_line *line, long number)
{
	unsigned long rest = number < 0 ? 0UL - (unsigned long)number : (unsigned long)number;
	char digits[24];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (number < 0)
		log_char(line, '-');
	while (n)
		log_char(line, digits[--n]);
}

void log_errno(struct log_line *line, int err)
{
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].number == err) {
			log_text(line, errors[i].name);
			return;
		}
	}
	log_text(line, "errno ");
	log_number(line, err);
}

void log_start(struct log_line *line)
{
	line->len = 0;
	log_text(line, "ld_pre_smc[");
	log_number(line, getpid());
	log_text(line, "]: ");
}

static bool is_still_stderr(const struct shim_config *cfg)
{
	struct stat now;

	return cfg->err_open && !fstat(STDERR_FILENO, &now) && now.st_dev == cfg->err_dev &&
	       now.st_ino == cfg->err_ino;
}

/*
 * write(2) with SIGPIPE held back; one that was pending already stays pending. No cancellation
 * point, which socket() and setsockopt() are not.
 */
static void write_quietly(const struct log_line *line)
{
	struct timespec now = { 0 };
	sigset_t pipe, pending, old;
	bool was_pending;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, &old);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE) == 1;
	if (syscall(SYS_write, STDERR_FILENO, line->text, line->len) < 0 && errno == EPIPE &&
	    !was_pending)
		sigtimedwait(&pipe, NULL, &now);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

void log_write(struct log_line *line, const struct shim_config *cfg)
{
	int saved = errno;

	line->text[line->len++] = '\n';
	if (!shim_is_locked() && is_still_stderr(cfg))
		write_quietly(line);
	errno = saved;
}

void shim_log_fd(int fd, const char *what, const char *became, int bind_err)
{
	struct shim_config own;
	const struct shim_config *cfg = shim_config_get(&own);
	struct log_line line;

	if (!cfg->debug)
		return;
	log_start(&line);
	log_text(&line, "fd ");
	log_number(&line, fd);
	log_text(&line, ": ");
	log_text(&line, what);
	log_text(&line, became ? " -> " : "");
	log_text(&line, became ? became : "");
	if (bind_err) {
		log_text(&line, ", bind: ");
		log_errno(&line, bind_err);
	}
	log_write(&line, cfg);
}
