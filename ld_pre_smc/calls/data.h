/* SPDX-License-Identifier: MIT */
/* Parts shared by the calls that read from and write to SMC sockets. */
#pragma once

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "ld_pre_smc/state/broken_handshake.h"
#include "ld_pre_smc/state/fd_query.h"

#pragma GCC visibility push(hidden)

/* Type of the flags of recvmmsg(2) and sendmmsg(2). */
#ifdef __GLIBC__
typedef int message_flags;
#else
typedef unsigned int message_flags;
#endif

/* The call for a marked descriptor. A separate function, so that others need no stack. */
#define SMC_ONLY static __attribute__((noinline))

/* The call for any descriptor. */
#define DOOR(type, name, fn, parameters, arguments)                                                \
	type name parameters                                                                       \
	{                                                                                          \
		return shim_fd_may_be_smc(fd) ? name##_smc arguments :                             \
						next_data(fn, name) arguments;                     \
	}

/*
 * preadv2(2) and pwritev2(2), then @after() for an SMC socket. Headers may redirect them to
 * preadv64v2() and pwritev64v2(); on 32-bit machines their positions differ.
 */
#define PARTS_AT(name, fn, position, after)                                                        \
	ssize_t shim_##name(int fd, const struct iovec *parts, int n, position pos,                \
			    int flags) __asm__(#name);                                             \
	SMC_ONLY ssize_t shim_##name##_smc(int fd, const struct iovec *parts, int n, position pos, \
					   int flags)                                              \
	{                                                                                          \
		return after(fd, parts, n, flags,                                                  \
			     next_data(fn, shim_##name)(fd, parts, n, pos, flags));                \
	}                                                                                          \
	DOOR(ssize_t, shim_##name, fn,                                                             \
	     (int fd, const struct iovec *parts, int n, position pos, int flags),                  \
	     (fd, parts, n, pos, flags))

/* For work that few of the calls need. */
#define RARE __attribute__((noinline, cold))

/*
 * Keep an argument for rare work after the call. On the stack, by volatile, this costs one
 * instruction; in a register, which has to be saved and restored, three.
 */
/* clang-format off */
#define KEEP(a) const volatile __typeof__(a) kept_##a = a
#define KEEP2(a, b) KEEP(a); KEEP(b)
#define KEEP3(a, b, c) KEEP2(a, b); KEEP(c)
#define KEEP4(a, b, c, d) KEEP3(a, b, c); KEEP(d)
/* clang-format on */

static inline size_t shim_sum(const struct iovec *parts, size_t n)
{
	size_t size = 0;

	while (n--)
		size += parts++->iov_len;
	return size;
}

/* Number of bytes in @n parts, up to the number that the kernel accepts at once. */
static inline size_t shim_size(const struct iovec *parts, size_t n)
{
	return MIN(shim_sum(parts, n), INT_MAX & ~0xfffUL);
}

/*
 * Fetch the error of a connection or of an attempt, 0 for none, after a call that failed with @err.
 * ECONNABORTED means a dead link: SO_ERROR has it, unless the call was waiting.
 */
static inline int shim_connection_error(int fd, int err)
{
	int cause = err == ECONNABORTED ? err : shim_int_option(fd, SOL_SOCKET, SO_ERROR);

	if (!cause && err && shim_events(fd, POLLIN | POLLOUT) == POLLHUP)
		cause = shim_lost_error(fd);
	return cause == ECONNABORTED ? ETIMEDOUT : MAX(cause, 0);
}

/**
 * shim_drops_more() - true if a write should be without MSG_MORE and SPLICE_F_MORE
 *
 * SMC has no segments to fill. A socket that has fallen back keeps the flag. Under a filter, which
 * may not permit a query, marks decide: see shim_is_locked.
 */
bool shim_drops_more(int fd);

/**
 * shim_instead_of() - where to send the data after a failed sendfile() or splice()
 * @out: any descriptor
 *
 * As after a write(), for data that the kernel has to take from a file or pipe.
 * Return: a descriptor of /dev/null, for the same call and then shim_close(); or -1 with errno.
 */
int shim_instead_of(int out);

#pragma GCC visibility pop
