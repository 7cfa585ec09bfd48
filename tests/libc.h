/* SPDX-License-Identifier: MIT */
/* Functions of glibc that musl lacks, for test programs that are built with both. */
#pragma once

#ifndef __GLIBC__
#include <errno.h>
#include <stddef.h>

/* Only with the preload library. */
int close_range(unsigned int first, unsigned int last, int flags) __attribute__((weak));
void closefrom(int low) __attribute__((weak));

/* Errors of SMC and TCP sockets. */
static inline const char *strerrorname_np(int number)
{
#define NAMED(number)                                                                              \
	{                                                                                          \
		number, #number                                                                    \
	}
	static const struct {
		int number;
		const char *name;
	} names[] = {
		NAMED(EAFNOSUPPORT),	NAMED(EADDRINUSE),   NAMED(EADDRNOTAVAIL),
		NAMED(EAGAIN),		NAMED(EALREADY),     NAMED(EBADF),
		NAMED(ECONNABORTED),	NAMED(ECONNREFUSED), NAMED(ECONNRESET),
		NAMED(EEXIST),		NAMED(EFAULT),	     NAMED(EINPROGRESS),
		NAMED(EINTR),		NAMED(EINVAL),	     NAMED(EISCONN),
		NAMED(EMFILE),		NAMED(ENOENT),	     NAMED(ENOPROTOOPT),
		NAMED(ENOTCONN),	NAMED(ENOTSOCK),     NAMED(ENOTTY),
		NAMED(EOPNOTSUPP),	NAMED(EPERM),	     NAMED(EPIPE),
		NAMED(EPROTONOSUPPORT), NAMED(ETIMEDOUT),
	};
#undef NAMED

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].number == number)
			return names[i].name;
	}
	return "?";
}
#endif
