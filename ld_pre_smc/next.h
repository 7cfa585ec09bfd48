/* SPDX-License-Identifier: MIT */
/* The functions below this library: libc's, or those of the next preload library. */
#ifndef SHIM_NEXT_H
#define SHIM_NEXT_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/*
 * One entry a function that is called below. To interpose one more: add it here, its row in next.c,
 * its name in ld_pre_smc.map, and the function itself in a file of its name.
 */
enum shim_fn {
	SHIM_SOCKET,
	SHIM_SETSOCKOPT,
	SHIM_GETSOCKOPT,
	SHIM_CONNECT,
	SHIM_BIND,
	SHIM_LISTEN,
	SHIM_IOCTL,
	SHIM_SPLICE,
	SHIM_CLOSE,
	SHIM_PRCTL,
	SHIM_FNS,
};

typedef void (*shim_any_fn)(void);

/*
 * glibc has a second name of some functions for 32-bit programs with 64-bit times: those of Debian's
 * armhf, and all that were made with _TIME_BITS=64.
 */
#if defined(__GLIBC__) && __SIZEOF_LONG__ == 4
#define SHIM_TIME64(name, other)                                                                   \
	extern __typeof__(name) shim_##name##_time64 __asm__(#other)                               \
		__attribute__((alias(#name), nothrow, leaf))
#else
#define SHIM_TIME64(name, other) _Static_assert(1, "")
#endif

extern _Atomic(shim_any_fn) shim_next_fn[SHIM_FNS];

/**
 * shim_resolve() - find the function below by dlsym(3) with RTLD_NEXT, and remember it
 * @fn: which one
 *
 * Every call finds the same address, so any number of threads may do this at once without a lock.
 * When no library has the function (a static libc of its own, a libc without dynamic symbols), a
 * system call takes its place. Leaves errno as it was.
 *
 * dlsym() takes the loader's lock: fine in constructors and threads. The library's constructor
 * resolves every row, so that no signal handler has to.
 *
 * Return: the function, never NULL.
 */
shim_any_fn shim_resolve(enum shim_fn fn);

static inline shim_any_fn shim_next(enum shim_fn fn)
{
	shim_any_fn found = atomic_load_explicit(&shim_next_fn[fn], memory_order_relaxed);

	return __builtin_expect(found != NULL, 1) ? found : shim_resolve(fn);
}

/* socket(2) below this library. */
int next_socket(int domain, int type, int protocol);

/*
 * The same, inline, for callers that know that it was called before: by any thread that told them
 * so with a release. The fence makes what that thread found visible here; x86 needs no code for it.
 */
static inline int next_known_socket(int domain, int type, int protocol)
{
	shim_any_fn found;

	atomic_thread_fence(memory_order_acquire);
	found = atomic_load_explicit(&shim_next_fn[SHIM_SOCKET], memory_order_relaxed);
	return ((int (*)(int, int, int))found)(domain, type, protocol);
}

/* setsockopt(2) below this library. */
static inline int next_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	return ((int (*)(int, int, int, const void *, socklen_t))shim_next(SHIM_SETSOCKOPT))(
		fd, level, name, value, len);
}

/* The others, each as its manual page has it. */
int next_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int next_connect(int fd, const struct sockaddr *addr, socklen_t len);
int next_bind(int fd, const struct sockaddr *addr, socklen_t len);
int next_listen(int fd, int backlog);
int next_ioctl(int fd, unsigned long request, void *arg);
ssize_t next_splice(int in, loff_t *in_pos, int out, loff_t *out_pos, size_t len,
		    unsigned int flags);
int next_close(int fd);
int next_prctl(int option, const unsigned long args[4]);

#pragma GCC visibility pop

#endif
