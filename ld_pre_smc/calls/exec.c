// SPDX-License-Identifier: MIT
/* execve(2) and its variants, which close sockets. In libc they do not call each other. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/unsent_data.h"

extern char **environ;

/** execve() - execve(2) without loss of unsent SMC-R data on sockets that it closes */
int execve(const char *path, char *const argv[], char *const envp[])
{
	shim_unsent_leave(true);
	return next_execve(path, argv, envp);
}

/** execv() - execv(3), like execve() */
int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

/** execvpe() - execvpe(3), like execve() */
int execvpe(const char *file, char *const argv[], char *const envp[])
{
	shim_unsent_leave(true);
	return next_execvpe(file, argv, envp);
}

/** execvp() - execvp(3), like execve() */
int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/** fexecve() - fexecve(3), like execve() */
int fexecve(int fd, char *const argv[], char *const envp[])
{
	shim_unsent_leave(true);
	return next_fexecve(fd, argv, envp);
}

int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags);

/** execveat() - execveat(2), like execve() */
int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	shim_unsent_leave(true);
	return ((__typeof__(execveat) *)shim_next(SHIM_EXECVEAT))(dir, path, argv, envp, flags);
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

#define WITH_LIST(call, path, first, has_env)                                                      \
	do {                                                                                       \
		va_list ap;                                                                        \
		int ret;                                                                           \
		va_start(ap, first);                                                               \
		ret = with_list(call, path, first, ap, has_env);                                   \
		va_end(ap);                                                                        \
		return ret;                                                                        \
	} while (0)

/** execl() - execl(3), like execve() */
int execl(const char *path, const char *first, ...)
{
	WITH_LIST(execve, path, first, false);
}

/** execlp() - execlp(3), like execve() */
int execlp(const char *file, const char *first, ...)
{
	WITH_LIST(execvpe, file, first, false);
}

/** execle() - execle(3), like execve() */
int execle(const char *path, const char *first, ...)
{
	WITH_LIST(execve, path, first, true);
}
