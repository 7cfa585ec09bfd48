/* SPDX-License-Identifier: MIT */
/* The next functions in the search order: of libc, or of another preload library. */
#pragma once

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_close_range /* in C libraries before glibc 2.33 */
#define SYS_close_range 436
#endif

#pragma GCC visibility push(hidden)

/*
 * Each function that this library calls: the file of calls/ that interposes it, its number, its
 * name in libc, and its fallback in next.c. calls/exec.c also has execl, execle, execlp, execv and
 * execvp, calls/exit.c also _Exit. To interpose another one: add it here and below, its fallback in
 * next.c, and its name in ld_pre_smc.map.
 */
/* clang-format off */
#define SHIM_EACH(ROW) \
	ROW(socket, SHIM_SOCKET, socket, raw_socket) \
	ROW(sockopt, SHIM_SETSOCKOPT, setsockopt, raw_setsockopt) \
	ROW(sockopt, SHIM_GETSOCKOPT, getsockopt, raw_getsockopt) \
	ROW(connect, SHIM_CONNECT, connect, raw_connect) \
	ROW(getpeername, SHIM_GETPEERNAME, getpeername, raw_getpeername) \
	ROW(bind, SHIM_BIND, bind, raw_bind) \
	ROW(listen, SHIM_LISTEN, listen, raw_listen) \
	ROW(accept, SHIM_ACCEPT, accept, raw_accept) \
	ROW(accept, SHIM_ACCEPT4, accept4, raw_accept4) \
	ROW(ioctl, SHIM_IOCTL, ioctl, raw_ioctl) \
	ROW(splice, SHIM_SPLICE, splice, raw_splice) \
	ROW(sendfile, SHIM_SENDFILE, sendfile, raw_sendfile) \
	ROW(sendfile, SHIM_SENDFILE64, sendfile64, raw_sendfile64) \
	ROW(close, SHIM_CLOSE, close, raw_close) \
	ROW(close, SHIM_CLOSE_RANGE, close_range, raw_close_range) \
	ROW(close, SHIM_CLOSEFROM, closefrom, raw_closefrom) \
	ROW(fclose, SHIM_FCLOSE, fclose, raw_missing) \
	ROW(shutdown, SHIM_SHUTDOWN, shutdown, raw_shutdown) \
	ROW(dup, SHIM_DUP, dup, raw_dup) \
	ROW(dup, SHIM_DUP2, dup2, raw_missing) \
	ROW(dup, SHIM_DUP3, dup3, raw_dup3) \
	ROW(dup, SHIM_FCNTL, fcntl, raw_fcntl) \
	ROW(dup, SHIM_FCNTL64, fcntl64, raw_fcntl64) \
	ROW(send, SHIM_WRITE, write, raw_write) \
	ROW(send, SHIM_WRITEV, writev, raw_writev) \
	ROW(send, SHIM_PWRITEV2, pwritev2, raw_missing) \
	ROW(send, SHIM_PWRITEV64V2, pwritev64v2, raw_missing) \
	ROW(send, SHIM_SEND, send, raw_send) \
	ROW(send, SHIM_SENDTO, sendto, raw_sendto) \
	ROW(send, SHIM_SENDMSG, sendmsg, raw_sendmsg) \
	ROW(send, SHIM_SENDMMSG, sendmmsg, raw_sendmmsg) \
	ROW(recv, SHIM_READ, read, raw_read) \
	ROW(recv, SHIM_READ_CHK, __read_chk, raw_missing) \
	ROW(recv, SHIM_READV, readv, raw_readv) \
	ROW(recv, SHIM_PREADV2, preadv2, raw_missing) \
	ROW(recv, SHIM_PREADV64V2, preadv64v2, raw_missing) \
	ROW(recv, SHIM_RECV, recv, raw_recv) \
	ROW(recv, SHIM_RECV_CHK, __recv_chk, raw_missing) \
	ROW(recv, SHIM_RECVFROM, recvfrom, raw_recvfrom) \
	ROW(recv, SHIM_RECVFROM_CHK, __recvfrom_chk, raw_missing) \
	ROW(recv, SHIM_RECVMSG, recvmsg, raw_recvmsg) \
	ROW(recv, SHIM_RECVMMSG, recvmmsg, raw_missing) \
	ROW(pidfd_getfd, SHIM_PIDFD_GETFD, pidfd_getfd, raw_missing) \
	ROW(epoll_create, SHIM_EPOLL_CREATE, epoll_create, raw_missing) \
	ROW(epoll_create, SHIM_EPOLL_CREATE1, epoll_create1, raw_epoll_create1) \
	ROW(fork, SHIM_FORK, fork, raw_missing) \
	ROW(exec, SHIM_EXECVE, execve, raw_execve) \
	ROW(exec, SHIM_EXECVPE, execvpe, raw_missing) \
	ROW(exec, SHIM_FEXECVE, fexecve, raw_missing) \
	ROW(exec, SHIM_EXECVEAT, execveat, raw_execveat) \
	ROW(exit, SHIM_EXIT, _exit, raw_exit_group) \
	ROW(exit, SHIM_QUICK_EXIT, quick_exit, raw_exit_group) \
	ROW(prctl, SHIM_PRCTL, prctl, raw_prctl) \
	ROW(dl_iterate_phdr, SHIM_DL_ITERATE_PHDR, dl_iterate_phdr, raw_missing)
/* clang-format on */

#define SHIM_NUMBER(file, fn, name, raw) fn,
enum shim_fn { SHIM_EACH(SHIM_NUMBER) SHIM_FNS };

typedef void (*shim_any_fn)(void);

/*
 * glibc has a second name of some functions for 32-bit programs with 64-bit times: used by Debian's
 * armhf, and all programs built with _TIME_BITS=64.
 */
#if defined(__GLIBC__) && __SIZEOF_LONG__ == 4
#define SHIM_TIME64(name, other)                                                                   \
	extern __typeof__(name) shim_##name##_time64 __asm__(#other)                               \
		__attribute__((alias(#name), nothrow, leaf))
#else
#define SHIM_TIME64(name, other) _Static_assert(1, "")
#endif

extern _Atomic(shim_any_fn) shim_next_fn[SHIM_FNS];

/* First byte of this library; defined by the linker. */
extern const char __ehdr_start[];

/* The library's constructor is running, or has run. */
extern atomic_bool shim_has_started;

/**
 * shim_resolve() - find the next function by shim_symbol(), and cache it
 * @fn: the function
 *
 * Every call finds the same address, so any number of threads may do this at once without a lock.
 * If no library has the function (a statically linked libc, a libc without dynamic symbols), a
 * system call replaces it. Preserves errno.
 *
 * This takes the loader's lock: fine in constructors and threads. The library's constructor
 * resolves every row, so signal handlers never need to.
 * Return: the function, never NULL.
 */
shim_any_fn shim_resolve(enum shim_fn fn);

static inline shim_any_fn shim_next(enum shim_fn fn)
{
	shim_any_fn found = atomic_load_explicit(&shim_next_fn[fn], memory_order_relaxed);

	return __builtin_expect(found != NULL, 1) ? found : shim_resolve(fn);
}

/*
 * The next function of a call that reads or writes, in one instruction: needs no check, because it
 * first points to a function that calls shim_resolve(). Every thread stores the same address.
 */
#define next_data(fn, name) ((__typeof__(&(name)))*(shim_any_fn *)(void *)&shim_next_fn[fn])

/* From now on, functions that write call this one first, and fail if it returns true. */
void shim_guard_writes(bool (*guard)(int fd));

/* The next socket(2); not inline, to keep the fast path of socket() short. */
int next_socket(int domain, int type, int protocol);

/* The others, with the types of their manual pages. */
#define next_setsockopt ((__typeof__(setsockopt) *)shim_next(SHIM_SETSOCKOPT))
#define next_getsockopt ((__typeof__(getsockopt) *)shim_next(SHIM_GETSOCKOPT))
#define next_connect ((__typeof__(connect) *)shim_next(SHIM_CONNECT))
#define next_getpeername ((__typeof__(getpeername) *)shim_next(SHIM_GETPEERNAME))
#define next_bind ((__typeof__(bind) *)shim_next(SHIM_BIND))
#define next_listen ((__typeof__(listen) *)shim_next(SHIM_LISTEN))
#define next_accept ((__typeof__(accept) *)shim_next(SHIM_ACCEPT))
#define next_accept4 ((__typeof__(accept4) *)shim_next(SHIM_ACCEPT4))
#define next_ioctl ((__typeof__(ioctl) *)shim_next(SHIM_IOCTL))
#define next_splice ((__typeof__(splice) *)shim_next(SHIM_SPLICE))
#define next_close ((__typeof__(close) *)shim_next(SHIM_CLOSE))
#define next_prctl ((__typeof__(prctl) *)shim_next(SHIM_PRCTL))
#define next_shutdown ((__typeof__(shutdown) *)shim_next(SHIM_SHUTDOWN))
#define next_dup ((__typeof__(dup) *)shim_next(SHIM_DUP))
#define next_dup2 ((__typeof__(dup2) *)shim_next(SHIM_DUP2))
#define next_dup3 ((__typeof__(dup3) *)shim_next(SHIM_DUP3))
#define next_close_range ((int (*)(unsigned int, unsigned int, int))shim_next(SHIM_CLOSE_RANGE))
#define next_closefrom ((void (*)(int))shim_next(SHIM_CLOSEFROM))
#define next_sendmsg next_data(SHIM_SENDMSG, sendmsg)
#define next_epoll_create ((int (*)(int))shim_next(SHIM_EPOLL_CREATE))
#define next_epoll_create1 ((int (*)(int))shim_next(SHIM_EPOLL_CREATE1))
#define next_fork ((__typeof__(fork) *)shim_next(SHIM_FORK))
#define next_exit ((__typeof__(_exit) *)shim_next(SHIM_EXIT))
#define next_quick_exit ((__typeof__(_exit) *)shim_next(SHIM_QUICK_EXIT))
#define next_execve ((__typeof__(execve) *)shim_next(SHIM_EXECVE))
#define next_execvpe ((__typeof__(execve) *)shim_next(SHIM_EXECVPE))
#define next_fexecve ((__typeof__(fexecve) *)shim_next(SHIM_FEXECVE))

/*
 * next_socket() for callers that know that it was called before, from a release store of the thread
 * that called it. The fence makes that thread's result visible here; x86 needs no code for it.
 */
static inline int next_known_socket(int domain, int type, int protocol)
{
	shim_any_fn found;

	atomic_thread_fence(memory_order_acquire);
	found = atomic_load_explicit(&shim_next_fn[SHIM_SOCKET], memory_order_relaxed);
	return ((__typeof__(socket) *)found)(domain, type, protocol);
}

#pragma GCC visibility pop
