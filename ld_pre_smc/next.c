// SPDX-License-Identifier: MIT
/* The next functions in the search order: of libc, or of another preload library. */
#include "ld_pre_smc/next.h"

#include <errno.h>

#include "ld_pre_smc/symbol.h"

atomic_bool shim_has_started;

/* A system call with the parameters of the function that it replaces. */
#define RAW(type, name, parameters, ...)                                                           \
	static type raw_##name parameters                                                          \
	{                                                                                          \
		return (type)syscall(SYS_##name, __VA_ARGS__);                                     \
	}
RAW(int, socket, (int domain, int type, int protocol), domain, type, protocol)
RAW(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t len), fd, level,
    name, value, len)
RAW(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *len), fd, level, name,
    value, len)
RAW(int, connect, (int fd, const struct sockaddr *addr, socklen_t len), fd, addr, len)
RAW(int, getpeername, (int fd, struct sockaddr *addr, socklen_t *len), fd, addr, len)
RAW(int, bind, (int fd, const struct sockaddr *addr, socklen_t len), fd, addr, len)
RAW(int, listen, (int fd, int backlog), fd, backlog)
RAW(int, accept4, (int fd, struct sockaddr *addr, socklen_t *len, int flags), fd, addr, len, flags)
RAW(int, ioctl, (int fd, unsigned long request, void *arg), fd, request, arg)
RAW(ssize_t, splice,
    (int in, loff_t *in_pos, int out, loff_t *out_pos, size_t len, unsigned int flags), in, in_pos,
    out, out_pos, len, flags)
/* Newer 32-bit architectures have only one of the two. */
#ifndef SYS_sendfile
#define SYS_sendfile SYS_sendfile64
#endif
RAW(ssize_t, sendfile, (int out, int in, void *pos, size_t len), out, in, pos, len)
#ifdef SYS_sendfile64
RAW(ssize_t, sendfile64, (int out, int in, void *pos, size_t len), out, in, pos, len)
#else
#define raw_sendfile64 raw_sendfile
#endif
RAW(int, close, (int fd), fd)
RAW(int, prctl, (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d),
    option, a, b, c, d)
RAW(int, shutdown, (int fd, int how), fd, how)
RAW(int, dup, (int fd), fd)
RAW(int, dup3, (int from, int to, int flags), from, to, flags)
#ifndef SYS_fcntl
#define SYS_fcntl SYS_fcntl64
#endif
RAW(int, fcntl, (int fd, int command, void *arg), fd, command, arg)
#ifdef SYS_fcntl64
RAW(int, fcntl64, (int fd, int command, void *arg), fd, command, arg)
#else
#define raw_fcntl64 raw_fcntl
#endif
RAW(int, close_range, (unsigned int first, unsigned int last, int flags), first, last, flags)
RAW(int, epoll_create1, (int flags), flags)
RAW(void, exit_group, (int status), status)
RAW(int, execve, (const char *path, char *const argv[], char *const envp[]), path, argv, envp)
RAW(int, execveat, (int dir, const char *path, char *const argv[], char *const envp[], int flags),
    dir, path, argv, envp, flags)

/* For functions missing from this libc, which nobody calls there. */
static int raw_missing(void)
{
	errno = ENOSYS;
	return -1;
}

/* In glibc since 2.34, not in musl. */
static void raw_closefrom(int low)
{
	raw_close_range(low < 0 ? 0 : (unsigned int)low, ~0U, 0);
}

/* Not every architecture has the older call. */
static int raw_accept(int fd, struct sockaddr *addr, socklen_t *len)
{
	return raw_accept4(fd, addr, len, 0);
}

/* Functions that read or write: name in libc, parameters and arguments. */
/* clang-format off */
#define EACH_WRITE_SYSCALL(ROW) \
	ROW(ssize_t, SHIM_WRITE, write, \
	    (int fd, const void *data, size_t len), (fd, data, len)) \
	ROW(ssize_t, SHIM_WRITEV, writev, \
	    (int fd, const struct iovec *parts, int n), (fd, parts, n)) \
	ROW(ssize_t, SHIM_SENDTO, sendto, \
	    (int fd, const void *data, size_t len, int flags, const struct sockaddr *to, \
	     socklen_t to_len), \
	    (fd, data, len, flags, to, to_len)) \
	ROW(ssize_t, SHIM_SENDMSG, sendmsg, \
	    (int fd, const struct msghdr *message, int flags), (fd, message, flags)) \
	ROW(int, SHIM_SENDMMSG, sendmmsg, \
	    (int fd, struct mmsghdr *messages, unsigned int n, int flags), \
	    (fd, messages, n, flags))
#define EACH_READ_SYSCALL(ROW) \
	ROW(ssize_t, SHIM_READ, read, \
	    (int fd, void *data, size_t len), (fd, data, len)) \
	ROW(ssize_t, SHIM_READV, readv, \
	    (int fd, const struct iovec *parts, int n), (fd, parts, n)) \
	ROW(ssize_t, SHIM_RECVFROM, recvfrom, \
	    (int fd, void *data, size_t len, int flags, struct sockaddr *from, \
	     socklen_t *from_len), \
	    (fd, data, len, flags, from, from_len)) \
	ROW(ssize_t, SHIM_RECVMSG, recvmsg, \
	    (int fd, struct msghdr *message, int flags), (fd, message, flags))
#define EACH_WRITE(ROW) \
	EACH_WRITE_SYSCALL(ROW) \
	ROW(ssize_t, SHIM_PWRITEV2, pwritev2, \
	    (int fd, const struct iovec *parts, int n, long pos, int flags), \
	    (fd, parts, n, pos, flags)) \
	ROW(ssize_t, SHIM_PWRITEV64V2, pwritev64v2, \
	    (int fd, const struct iovec *parts, int n, long long pos, int flags), \
	    (fd, parts, n, pos, flags)) \
	ROW(ssize_t, SHIM_SEND, send, \
	    (int fd, const void *data, size_t len, int flags), (fd, data, len, flags))
#define EACH_READ(ROW) \
	EACH_READ_SYSCALL(ROW) \
	ROW(ssize_t, SHIM_PREADV2, preadv2, \
	    (int fd, const struct iovec *parts, int n, long pos, int flags), \
	    (fd, parts, n, pos, flags)) \
	ROW(ssize_t, SHIM_PREADV64V2, preadv64v2, \
	    (int fd, const struct iovec *parts, int n, long long pos, int flags), \
	    (fd, parts, n, pos, flags)) \
	ROW(ssize_t, SHIM_RECV, recv, \
	    (int fd, void *data, size_t len, int flags), (fd, data, len, flags)) \
	ROW(int, SHIM_RECVMMSG, recvmmsg, \
	    (int fd, struct mmsghdr *messages, unsigned int n, int flags, \
	     struct timespec *timeout), \
	    (fd, messages, n, flags, timeout))
/* clang-format on */

#define LIST(...) __VA_ARGS__
#define RAW_DATA(type, fn, name, parameters, arguments) RAW(type, name, parameters, LIST arguments)
EACH_WRITE_SYSCALL(RAW_DATA)
EACH_READ_SYSCALL(RAW_DATA)

/* Not every architecture has these calls. */
static ssize_t raw_send(int fd, const void *data, size_t len, int flags)
{
	return raw_sendto(fd, data, len, flags, NULL, 0);
}

static ssize_t raw_recv(int fd, void *data, size_t len, int flags)
{
	return raw_recvfrom(fd, data, len, flags, NULL, NULL);
}

#define FIRST(type, fn, name, parameters, arguments)                                               \
	static type first_##name parameters                                                        \
	{                                                                                          \
		return ((type(*) parameters)shim_resolve(fn))arguments;                            \
	}
EACH_WRITE(FIRST)
EACH_READ(FIRST)

#define START(type, fn, name, parameters, arguments) [fn] = (shim_any_fn)first_##name,
_Atomic(shim_any_fn) shim_next_fn[SHIM_FNS] = { EACH_WRITE(START) EACH_READ(START) };

/* Without guards. */
static _Atomic(shim_any_fn) found_fns[SHIM_FNS];

static bool (*_Atomic refuses)(int fd);

#define GUARDED(type, fn, name, parameters, arguments)                                             \
	static type guarded_##name parameters                                                      \
	{                                                                                          \
		return refuses(fd) ? -1 : ((type(*) parameters)found_fns[fn])arguments;            \
	}
EACH_WRITE(GUARDED)

#define GUARD(type, fn, name, parameters, arguments)                                               \
	if (found_fns[fn])                                                                         \
		atomic_store(&shim_next_fn[fn], (shim_any_fn)guarded_##name);
void shim_guard_writes(bool (*guard)(int fd))
{
	refuses = guard;
	EACH_WRITE(GUARD)
}

#define ROW(file, fn, name, raw) [fn] = { #name, (shim_any_fn)raw },
static const struct {
	const char *name;
	shim_any_fn raw; /* fallback */
} shim_fns[SHIM_FNS] = { SHIM_EACH(ROW) };

shim_any_fn shim_resolve(enum shim_fn fn)
{
	int saved = errno;
	shim_any_fn found = (shim_any_fn)shim_symbol(shim_fns[fn].name);

	if (!found)
		found = shim_fns[fn].raw;
	atomic_store(&found_fns[fn], found);
	atomic_store_explicit(&shim_next_fn[fn], found, memory_order_relaxed);
	errno = saved;
	return found;
}

int next_socket(int domain, int type, int protocol)
{
	return ((__typeof__(socket) *)shim_next(SHIM_SOCKET))(domain, type, protocol);
}
