// SPDX-License-Identifier: MIT
/* The functions below this library: libc's, or those of the next preload library. */
#include "ld_pre_smc/next.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

_Atomic(shim_any_fn) shim_next_fn[SHIM_FNS];

static int raw_socket(int domain, int type, int protocol)
{
	return (int)syscall(SYS_socket, domain, type, protocol);
}

static int raw_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	return (int)syscall(SYS_setsockopt, fd, level, name, value, len);
}

static int raw_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	return (int)syscall(SYS_getsockopt, fd, level, name, value, len);
}

static int raw_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	return (int)syscall(SYS_connect, fd, addr, len);
}

static int raw_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	return (int)syscall(SYS_bind, fd, addr, len);
}

static int raw_listen(int fd, int backlog)
{
	return (int)syscall(SYS_listen, fd, backlog);
}

static int raw_ioctl(int fd, unsigned long request, void *arg)
{
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

static ssize_t raw_splice(int in, loff_t *in_pos, int out, loff_t *out_pos, size_t len,
			  unsigned int flags)
{
	return syscall(SYS_splice, in, in_pos, out, out_pos, len, flags);
}

static int raw_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

static int raw_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	return (int)syscall(SYS_prctl, option, a, b, c, d);
}

static const struct {
	const char *name;
	shim_any_fn raw;	/* the last resort */
} shim_fns[SHIM_FNS] = {
	[SHIM_SOCKET] = { "socket", (shim_any_fn)raw_socket },
	[SHIM_SETSOCKOPT] = { "setsockopt", (shim_any_fn)raw_setsockopt },
	[SHIM_GETSOCKOPT] = { "getsockopt", (shim_any_fn)raw_getsockopt },
	[SHIM_CONNECT] = { "connect", (shim_any_fn)raw_connect },
	[SHIM_BIND] = { "bind", (shim_any_fn)raw_bind },
	[SHIM_LISTEN] = { "listen", (shim_any_fn)raw_listen },
	[SHIM_IOCTL] = { "ioctl", (shim_any_fn)raw_ioctl },
	[SHIM_SPLICE] = { "splice", (shim_any_fn)raw_splice },
	[SHIM_CLOSE] = { "close", (shim_any_fn)raw_close },
	[SHIM_PRCTL] = { "prctl", (shim_any_fn)raw_prctl },
};

shim_any_fn shim_resolve(enum shim_fn fn)
{
	int saved = errno;
	shim_any_fn found = (shim_any_fn)dlsym(RTLD_NEXT, shim_fns[fn].name);

	if (!found)
		found = shim_fns[fn].raw;
	atomic_store_explicit(&shim_next_fn[fn], found, memory_order_relaxed);
	errno = saved;
	return found;
}

int next_socket(int domain, int type, int protocol)
{
	return ((int (*)(int, int, int))shim_next(SHIM_SOCKET))(domain, type, protocol);
}

int next_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	return ((int (*)(int, int, int, void *, socklen_t *))shim_next(SHIM_GETSOCKOPT))(
		fd, level, name, value, len);
}

int next_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	return ((int (*)(int, const struct sockaddr *, socklen_t))shim_next(SHIM_CONNECT))(
		fd, addr, len);
}

int next_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	return ((int (*)(int, const struct sockaddr *, socklen_t))shim_next(SHIM_BIND))(
		fd, addr, len);
}

int next_listen(int fd, int backlog)
{
	return ((int (*)(int, int))shim_next(SHIM_LISTEN))(fd, backlog);
}

int next_ioctl(int fd, unsigned long request, void *arg)
{
	return ((int (*)(int, unsigned long, ...))shim_next(SHIM_IOCTL))(fd, request, arg);
}

ssize_t next_splice(int in, loff_t *in_pos, int out, loff_t *out_pos, size_t len,
		    unsigned int flags)
{
	return ((ssize_t (*)(int, loff_t *, int, loff_t *, size_t, unsigned int))shim_next(
		SHIM_SPLICE))(in, in_pos, out, out_pos, len, flags);
}

int next_close(int fd)
{
	return ((int (*)(int))shim_next(SHIM_CLOSE))(fd);
}

int next_prctl(int option, const unsigned long args[4])
{
	return ((int (*)(int, ...))shim_next(SHIM_PRCTL))(option, args[0], args[1], args[2], args[3]);
}
