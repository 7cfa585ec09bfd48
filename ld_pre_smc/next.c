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

static const struct {
	const char *name;
	shim_any_fn raw;	/* the last resort */
} shim_fns[SHIM_FNS] = {
	[SHIM_SOCKET] = { "socket", (shim_any_fn)raw_socket },
	[SHIM_SETSOCKOPT] = { "setsockopt", (shim_any_fn)raw_setsockopt },
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
