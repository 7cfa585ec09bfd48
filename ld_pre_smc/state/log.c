// SPDX-License-Identifier: MIT
/* Log lines on standard error, without stdio and without memory allocation. */
#include "ld_pre_smc/state/log.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

/* One byte is reserved for the newline. */
#define ROOM (sizeof(((struct log_line *)0)->text) - 1)

#define NAMED(number)                                                                              \
	{                                                                                          \
		number, #number                                                                    \
	}

static const struct {
	int number;
	const char *name;
} errors[] = {
	NAMED(EACCES),		NAMED(EADDRINUSE),	NAMED(EAFNOSUPPORT), NAMED(EBADF),
	NAMED(EINVAL),		NAMED(EMFILE),		NAMED(ENFILE),	     NAMED(ENOBUFS),
	NAMED(ENOMEM),		NAMED(ENOSYS),		NAMED(EOPNOTSUPP),   NAMED(EPERM),
	NAMED(EPROTONOSUPPORT), NAMED(ESOCKTNOSUPPORT),
};

static void log_char(struct log_line *line, char c)
{
	if (line->len < ROOM)
		line->text[line->len++] = c;
}

static void log_text(struct log_line *line, const char *text)
{
	while (*text)
		log_char(line, *text++);
}

static void log_number(struct log_line *line, int number)
{
	unsigned int rest = number < 0 ? 0U - (unsigned int)number : (unsigned int)number;
	char digits[12];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (number < 0)
		log_char(line, '-');
	while (n)
		log_char(line, digits[--n]);
}

static void log_errno(struct log_line *line, int err)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(errors) && errors[i].number != err)
		i++;
	if (i < ARRAY_SIZE(errors))
		log_text(line, errors[i].name);
	else
		log_format(line, "errno %d", err);
}

void log_format(struct log_line *line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (; *fmt; fmt++) {
		if (*fmt != '%')
			log_char(line, *fmt);
		else if (*++fmt == 's')
			log_text(line, va_arg(ap, const char *));
		else if (*fmt == 'd')
			log_number(line, va_arg(ap, int));
		else
			log_errno(line, va_arg(ap, int));
	}
	va_end(ap);
	line->text[line->len] = '\0';
}

void log_start(struct log_line *line)
{
	line->len = 0;
	/* getpid(2) is a system call, and a locked program prints nothing anyway. */
	log_format(line, "ld_pre_smc[%d]: ", shim_is_locked ? 0 : (int)getpid());
}

/*
 * write(2) without SIGPIPE; a SIGPIPE that was pending stays pending. Not a cancellation point,
 * because socket() and setsockopt() are not, either.
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
	AUTO_ERRNO();

	line->text[line->len++] = '\n';
	if (!shim_is_locked && cfg->err_open && shim_is_file(STDERR_FILENO, "", &cfg->err))
		write_quietly(line);
}

void shim_log_fd(int fd, const char *what, const char *became, int bind_err)
{
	struct shim_config own;
	const struct shim_config *cfg = shim_config_get(&own);
	struct log_line line;

	if (!cfg->debug)
		return;
	log_start(&line);
	if (fd >= 0)
		log_format(&line, "fd %d: ", fd);
	log_format(&line, "%s", what);
	if (became)
		log_format(&line, " -> %s", became);
	if (bind_err)
		log_format(&line, ", bind: %e", bind_err);
	log_write(&line, cfg);
}

void shim_log_text(const char *text)
{
	shim_log_fd(-1, text, NULL, 0);
}

#define NOT_A_SIZE " is not a size up to 2147483647, such as 65536, 64K or 1M: ignored"
#define NOT_RULES " is not a list of rules such as 6379,listen:80,10.0.0.0/8: ignored"

static const char *const invalid_texts[VARIABLES] = {
	[VAR_REPAIRS] = " names an unknown repair: the rest is ignored",
	[VAR_FAMILY] = " is not smc, inet or auto: ignored",
	[VAR_RCVBUF] = NOT_A_SIZE,
	[VAR_SNDBUF] = NOT_A_SIZE,
	[VAR_INCLUDE] = NOT_RULES,
	[VAR_EXCLUDE] = NOT_RULES,
};

static void put_call(struct log_line *line, int domain, int type, int protocol)
{
	int other = type & ~(SOCK_TYPE_BITS | SOCK_NONBLOCK | SOCK_CLOEXEC);

	log_format(line, "socket(%s, SOCK_STREAM%s%s", domain == AF_INET ? "AF_INET" : "AF_INET6",
		   type & SOCK_NONBLOCK ? "|SOCK_NONBLOCK" : "",
		   type & SOCK_CLOEXEC ? "|SOCK_CLOEXEC" : "");
	if (other)
		log_format(line, "|%d", other);
	log_format(line, ", %s) -> ", protocol ? "IPPROTO_TCP" : "0");
}

static void put_buffer(struct log_line *line, const char *name, int bytes, int err)
{
	if (bytes)
		log_format(line, ", %s %d", name, bytes);
	if (bytes && err)
		log_format(line, ": %e", err);
}

/* Profile or context to which AppArmor or SELinux denies a socket, see proc(5). */
static void put_context(struct log_line *line)
{
	char text[128] = "";
	int fd = shim_is_locked ?
			 -1 :
			 (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/attr/current",
				      O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (syscall(SYS_read, fd, text, sizeof(text) - 1) > 0) {
		text[strcspn(text, "\n")] = '\0';
		log_format(line, "; denied to %s, see smc_chk doctor", text);
	}
	shim_close(fd);
}

static void put_refusals(struct log_line *line, const struct socket_attempt *try,
			 const struct shim_config *cfg)
{
	const char *before = try->why ? "; " : " (";
	bool is_denied = false;
	int i, kind;

	if (try->why)
		log_format(line, " (%s", try->why);
	for (i = 0; i < cfg->nkinds; i++) {
		kind = cfg->kinds[i];
		if (!try->refused[kind])
			continue;
		log_format(line, "%s%s: %e%s", before, shim_kind_names[kind], try->refused[kind],
			   try->remembered[kind] ? ", seen before" : "");
		is_denied |= try->refused[kind] == EACCES && !try->remembered[kind];
		before = "; ";
	}
	if (is_denied)
		put_context(line);
	log_text(line, *before == ';' ? ")" : "");
}

void log_socket(const struct socket_attempt *try, const struct shim_config *cfg, int domain,
		int type, int protocol)
{
	struct log_line line;

	log_start(&line);
	put_call(&line, domain, type, protocol);
	if (try->fd >= 0)
		log_format(&line, "%s fd %d", shim_kind_names[try->kind], try->fd);
	else
		log_format(&line, "error %e", try->err);
	if (try->fd >= 0 && try->kind != KIND_TCP) {
		put_buffer(&line, "SO_SNDBUF", smc_buffer_of(&cfg->sndbuf, try->fd),
			   try->buffer_errs[0]);
		put_buffer(&line, "SO_RCVBUF", smc_buffer_of(&cfg->rcvbuf, try->fd),
			   try->buffer_errs[1]);
	}
	put_refusals(&line, try, cfg);
	log_write(&line, cfg);
}

void log_invalid(const struct shim_config *cfg)
{
	/* An int: to exchange a byte, gcc calls libatomic on riscv64. */
	static atomic_int reported;
	struct log_line line;
	int i;

	if (atomic_exchange_explicit(&reported, 1, memory_order_relaxed))
		return;
	for (i = 0; i < VARIABLES; i++) {
		if (!(cfg->invalid & 1U << i))
			continue;
		log_start(&line);
		log_format(&line, "%s%s", smc_variables[i], invalid_texts[i]);
		log_write(&line, cfg);
	}
}
