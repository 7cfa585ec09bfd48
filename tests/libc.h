/* SPDX-License-Identifier: MIT */
/* The parts of libc that most test programs use, and functions that musl and older glibcs lack. */
#pragma once

#include <arpa/inet.h>
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Listen on a free port of loopback. Return: as listen(2) */
static inline int listen_here(int fd, struct sockaddr_in *addr, int backlog)
{
	socklen_t len = sizeof(*addr);

	*addr = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	return bind(fd, (struct sockaddr *)addr, len) || listen(fd, backlog) ||
			       getsockname(fd, (struct sockaddr *)addr, &len) ?
		       -1 :
		       0;
}

#if !defined(__GLIBC__) || __GLIBC__ * 100 + __GLIBC_MINOR__ < 234
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
