// SPDX-License-Identifier: MIT
/*
 * Functions of glibc that the distribution's libraries need and musl lacks, nearly all of them
 * checked (fortified) variants. For tests/musl.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECKED(type, name, parameters, call)                                                      \
	type __##name parameters;                                                                  \
	type __##name parameters                                                                   \
	{                                                                                          \
		return call;                                                                       \
	}
CHECKED(int, vfprintf_chk, (FILE * file, int flag, const char *fmt, va_list ap),
	((void)flag, vfprintf(file, fmt, ap)))
CHECKED(int, vdprintf_chk, (int fd, int flag, const char *fmt, va_list ap),
	((void)flag, vdprintf(fd, fmt, ap)))
CHECKED(int, vasprintf_chk, (char **text, int flag, const char *fmt, va_list ap),
	((void)flag, vasprintf(text, fmt, ap)))
CHECKED(int, vsnprintf_chk,
	(char *text, size_t n, int flag, size_t size, const char *fmt, va_list ap),
	((void)flag, (void)size, vsnprintf(text, n, fmt, ap)))
CHECKED(void *, memcpy_chk, (void *to, const void *from, size_t n, size_t size),
	((void)size, memcpy(to, from, n)))
CHECKED(char *, strcpy_chk, (char *to, const char *from, size_t size),
	((void)size, strcpy(to, from)))
CHECKED(char *, strcat_chk, (char *to, const char *from, size_t size),
	((void)size, strcat(to, from)))
CHECKED(char *, strncpy_chk, (char *to, const char *from, size_t n, size_t size),
	((void)size, strncpy(to, from, n)))
CHECKED(char *, realpath_chk, (const char *path, char *to, size_t size),
	((void)size, realpath(path, to)))
CHECKED(long, fdelt_chk, (long fd), fd / (8 * (long)sizeof(long)))
CHECKED(int, open_2, (const char *path, int flags), open(path, flags))
CHECKED(int, openat_2, (int dir, const char *path, int flags), openat(dir, path, flags))

#define PRINTS(name, parameters, call)                                                             \
	int __##name parameters;                                                                   \
	int __##name parameters                                                                    \
	{                                                                                          \
		va_list ap;                                                                        \
		int ret;                                                                           \
                                                                                                   \
		(void)flag;                                                                        \
		va_start(ap, fmt);                                                                 \
		ret = call;                                                                        \
		va_end(ap);                                                                        \
		return ret;                                                                        \
	}
PRINTS(printf_chk, (int flag, const char *fmt, ...), vprintf(fmt, ap))
PRINTS(fprintf_chk, (FILE * file, int flag, const char *fmt, ...), vfprintf(file, fmt, ap))
PRINTS(asprintf_chk, (char **text, int flag, const char *fmt, ...), vasprintf(text, fmt, ap))
PRINTS(sprintf_chk, (char *text, int flag, size_t size, const char *fmt, ...),
       ((void)size, vsprintf(text, fmt, ap)))
PRINTS(snprintf_chk, (char *text, size_t n, int flag, size_t size, const char *fmt, ...),
       ((void)size, vsnprintf(text, n, fmt, ap)))

_Noreturn void __longjmp_chk(jmp_buf env, int value);
_Noreturn void __longjmp_chk(jmp_buf env, int value)
{
	longjmp(env, value);
}

/* GNU extension. */
void *rawmemchr(const void *bytes, int byte);
void *rawmemchr(const void *bytes, int byte)
{
	const unsigned char *at = bytes;

	while (*at != (unsigned char)byte)
		at++;
	return (void *)at;
}

int fcntl64(int fd, int command, void *arg);
int fcntl64(int fd, int command, void *arg)
{
	return fcntl(fd, command, arg);
}
