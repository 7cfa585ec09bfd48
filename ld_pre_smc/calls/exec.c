// SPDX-License-Identifier: MIT
/* execve(2) and its variants, which close sockets. In libc they do not call each other. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/unsent_data.h"

extern char **environ;

int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags);

/* execve(2) and its kin, without loss of unsent SMC-R data on sockets that they close */
#define LEAVING(name, parameters, next)                                                            \
	int name parameters                                                                        \
	{                                                                                          \
		shim_unsent_leave(true);                                                           \
		return next;                                                                       \
	}
LEAVING(execve, (const char *path, char *const argv[], char *const envp[]),
	next_execve(path, argv, envp))
LEAVING(execvpe, (const char *file, char *const argv[], char *const envp[]),
	next_execvpe(file, argv, envp))
LEAVING(fexecve, (int fd, char *const argv[], char *const envp[]), next_fexecve(fd, argv, envp))
LEAVING(execveat, (int dir, const char *path, char *const argv[], char *const envp[], int flags),
	((__typeof__(execveat) *)shim_next(SHIM_EXECVEAT))(dir, path, argv, envp, flags))

/** execv() - execv(3), like execve() */
int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

/** execvp() - execvp(3), like execve() */
int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/*
 * Call execve() or a variant with arguments on the stack, as libc does: @ap has those after @first,
 * and after their NULL the environment of execle(). All are read here, because a function that is
 * passed a va_list may change it for its caller.
 */
static int with_list(__typeof__(execve) *call, const char *path, const char *first, va_list ap,
		     bool has_env)
{
	size_t count = 0, i;
	const char *arg;
	va_list counted;
	char **argv;

	va_copy(counted, ap);
	for (arg = first; arg; arg = va_arg(counted, const char *))
		count++;
	va_end(counted);
	argv = __builtin_alloca((count + 1) * sizeof(*argv));
	argv[0] = (char *)first;
	for (i = 0; argv[i]; i++)
		argv[i + 1] = va_arg(ap, char *);
	return call(path, argv, has_env ? va_arg(ap, char **) : environ);
}

/* execl(3), execlp(3) and execle(3), like execve() */
#define LISTED(name, call, has_env)                                                                \
	int name(const char *path, const char *first, ...)                                         \
	{                                                                                          \
		va_list ap;                                                                        \
		int ret;                                                                           \
		va_start(ap, first);                                                               \
		ret = with_list(call, path, first, ap, has_env);                                   \
		va_end(ap);                                                                        \
		return ret;                                                                        \
	}
LISTED(execl, execve, false)
LISTED(execlp, execvpe, false)
LISTED(execle, execve, true)
