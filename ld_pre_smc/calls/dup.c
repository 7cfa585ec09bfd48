// SPDX-License-Identifier: MIT
/* dup(2), fcntl(2) and dup2(2): a duplicate inherits the marks of the original. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "ld_pre_smc/calls/close.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/options.h"

static void copied(int from, int to)
{
	if (shim_lives_has(from))
		shim_lives_share(from);
	shim_fd_copy(from, to);
}

/** dup() - dup(2) that marks the duplicate for close() */
int dup(int from)
{
	int ret = next_dup(from);

	if (ret >= 0)
		copied(from, ret);
	return ret;
}

static int control(enum shim_fn fn, int fd, int command, void *arg)
{
	int ret;

	if (command == F_SETOWN || command == F_SETOWN_EX || command == F_SETSIG)
		shim_has_owners = true;
	ret = ((int (*)(int, int, ...))shim_next(fn))(fd, command, arg);
	if (ret >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		copied(fd, ret);
	return ret;
}

/*
 * fcntl() - fcntl(2) that marks duplicates for close()
 *
 * Headers may redirect fcntl() to fcntl64(). On 32-bit machines the two are different system calls.
 */
#define FCNTL(name, fn)                                                                            \
	int shim_##name(int fd, int command, ...) __asm__(#name);                                  \
	int shim_##name(int fd, int command, ...)                                                  \
	{                                                                                          \
		va_list ap;                                                                        \
		void *arg;                                                                         \
		va_start(ap, command);                                                             \
		arg = va_arg(ap, void *);                                                          \
		va_end(ap);                                                                        \
		return control(fn, fd, command, arg);                                              \
	}
FCNTL(fcntl, SHIM_FCNTL)
FCNTL(fcntl64, SHIM_FCNTL64)

#if defined(__GLIBC__) && __SIZEOF_LONG__ == 4
extern __typeof__(shim_fcntl64) shim_fcntl_time64 __asm__("__fcntl_time64")
	__attribute__((alias("fcntl64")));
#endif

static bool is_open(int fd)
{
	AUTO_ERRNO();

	return fcntl(fd, F_GETFD) >= 0;
}

/* Duplicate @from as the number @to, which is closed before. @flags: -1 for dup2(). */
static int dup_onto(int from, int to, int flags)
{
	bool may_end = shim_fd_is_set(FD_SMC | FD_TIMED, to);
	struct shim_signals signals =
		shim_close_begin(from != to && may_end && is_open(from) ? to : -1);
	int ret = flags < 0 ? next_dup2(from, to) : next_dup3(from, to, flags);

	shim_signals_restore(&signals);
	if (ret >= 0)
		copied(from, to);
	return ret;
}

/** dup2() - dup2(2) that does the work of close() for @to, which it implicitly closes */
int dup2(int from, int to)
{
	return dup_onto(from, to, -1);
}

/** dup3() - dup3(2), like dup2() */
int dup3(int from, int to, int flags)
{
	return flags < 0 ? next_dup3(from, to, flags) : dup_onto(from, to, flags);
}
