// SPDX-License-Identifier: MIT
/* execve(2) and its relatives, which close sockets; in libc they do not call each other. */
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "ld_pre_smc/exit.h"
#include "ld_pre_smc/next.h"

extern char **environ;

/**
 * execve() - execve(2); what SMC-R has not sent of sockets that it closes is sent all the same
 *
 * Return: as execve(2); so do the others.
 */
int execve(const char *path, char *const argv[], char *const envp[])
{
	shim_leave_by_exec();
	return next_execve(path, argv, envp);
}

/** execv() - execv(3), as execve() */
int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

/** execvpe() - execvpe(3), as execve() */
int execvpe(const char *file, char *const argv[], char *const envp[])
{
	shim_leave_by_exec();
	return next_execvpe(file, argv, envp);
}

/** execvp() - execvp(3), as execve() */
int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/** fexecve() - fexecve(3), as execve() */
int fexecve(int fd, char *const argv[], char *const envp[])
{
	shim_leave_by_exec();
	return next_fexecve(fd, argv, envp);
}

int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags);

/** execveat() - execveat(2), as execve() */
int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	shim_leave_by_exec();
	return ((__typeof__(execveat) *)shim_next(SHIM_EXECVEAT))(dir, path, argv, envp, flags);
}

/* Arguments on the stack, as libc has them. */
static int count(const char *first, va_list ap)
{
	int n = 0;

	for (; first; first = va_arg(ap, const char *))
		n++;
	return n;
}

static void collect(char **argv, const char *first, va_list ap)
{
	*argv = (char *)first;
	while (*argv)
		*++argv = va_arg(ap, char *);
}

#define COLLECT(argv, first)                                                                       \
	do {                                                                                       \
		va_start(ap, first);                                                               \
		argv = __builtin_alloca(((size_t)count(first, ap) + 1) * sizeof(*argv));           \
		va_end(ap);                                                                        \
		va_start(ap, first);                                                               \
		collect(argv, first, ap);                                                          \
	} while (0)

/** execl() - execl(3), as execve() */
int execl(const char *path, const char *first, ...)
{
	char **argv;
	va_list ap;

	COLLECT(argv, first);
	va_end(ap);
	return execve(path, argv, environ);
}

/** execlp() - execlp(3), as execve() */
int execlp(const char *file, const char *first, ...)
{
	char **argv;
	va_list ap;

	COLLECT(argv, first);
	va_end(ap);
	return execvpe(file, argv, environ);
}

/** execle() - execle(3), as execve() */
int execle(const char *path, const char *first, ...)
{
	char **argv, **envp;
	va_list ap;

	COLLECT(argv, first);
	envp = va_arg(ap, char **);
	va_end(ap);
	return execve(path, argv, envp);
}
