/* SPDX-License-Identifier: MIT */
/* What glibc has and musl has not, for those programs of tests that are built for both. */
#pragma once

#ifndef __GLIBC__
#include <errno.h>
#include <stddef.h>

/* There with the preload library only. */
int close_range(unsigned int first, unsigned int last, int flags) __attribute__((weak));
void closefrom(int low) __attribute__((weak));

/* What SMC and TCP sockets answer. */
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
