/* SPDX-License-Identifier: MIT */
/* Which file descriptors may be SMC sockets: what others need not ask the kernel about. */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* One bit for each number, in pages of zeros that cost no memory until they are written to. */
#define SHIM_FD_NUMBERS (1 << 20)
#define SHIM_FD_BITS (CHAR_BIT * (int)sizeof(unsigned long))

enum shim_fd_table {
	FD_SMC,	   /* may be an SMC socket */
	FD_EPOLL,  /* may be an epoll instance */
	FD_KEPT,   /* smc_keep has it too, since shutdown() */
	FD_PLAIN,  /* see shim_fd_is_plain(); with FD_SMC, or not at all */
	FD_QUICK,  /* a listener that did not wait when it was asked last */
	FD_SOCKET, /* see shim_fd_mark_socket() */
	FD_TABLES,
};

extern atomic_ulong shim_fd_bits[FD_TABLES][SHIM_FD_NUMBERS / SHIM_FD_BITS];

/* What shim_fd_mark() does the first time, for any table. */
void shim_fd_set(enum shim_fd_table table, int fd);

static inline bool shim_fd_is_set(enum shim_fd_table table, int fd)
{
	return atomic_load_explicit(&shim_fd_bits[table][fd / SHIM_FD_BITS],
				    memory_order_relaxed) >>
		       fd % SHIM_FD_BITS &
	       1;
}

/** shim_fd_is_marked() - whether a file descriptor may be an SMC socket; true for huge numbers */
static inline bool shim_fd_is_marked(int fd)
{
	return (unsigned int)fd < SHIM_FD_NUMBERS ? shim_fd_is_set(FD_SMC, fd) : fd > 0;
}

/**
 * shim_fd_mark() - remember that a file descriptor may be an SMC socket
 * @fd: any number; negative ones are ignored
 *
 * A mark says "may be", so a wrong one costs system calls, and once. A missing one costs what
 * close() and accept() do for SMC sockets, and nothing else may depend on it: sockets made by raw
 * system calls have none.
 * No system call, no lock; leaves errno as it was.
 */
static inline void shim_fd_mark(int fd)
{
	if ((unsigned int)fd < SHIM_FD_NUMBERS && !shim_fd_is_set(FD_SMC, fd))
		shim_fd_set(FD_SMC, fd);
}

/**
 * shim_fd_mark_socket() - shim_fd_mark() of what surely is a socket, until it is closed
 *
 * A mark alone says no such thing: its number may have become that of any file, and what a driver
 * makes of an ioctl(2) that is meant for sockets is not known. Those of DRM look only at the last
 * byte.
 */
static inline void shim_fd_mark_socket(int fd)
{
	shim_fd_mark(fd);
	if ((unsigned int)fd < SHIM_FD_NUMBERS)
		shim_fd_set(FD_SOCKET, fd);
}

/** shim_fd_close() - whether what is to be closed was marked as a socket. It no longer is */
bool shim_fd_close(int fd);

/* What shim_fd_mark_plain() does the first time. */
void shim_fd_set_plain(int fd);

/** shim_fd_mark_plain() - shim_fd_mark_socket() of what socket() gave, see shim_fd_is_plain() */
static inline void shim_fd_mark_plain(int fd)
{
	if ((unsigned int)fd < SHIM_FD_NUMBERS &&
	    (!shim_fd_is_set(FD_PLAIN, fd) || !shim_fd_is_set(FD_SOCKET, fd)))
		shim_fd_set_plain(fd);
}

/**
 * shim_fd_is_plain() - whether connect() need not ask before it tries
 *
 * socket() of this library gave this number, for SMC, and none of the library's functions has since
 * bound it, given it SO_LINGER or SO_SNDTIMEO, made or put a duplicate of it, replaced it, or seen
 * its connect() fail; nor did the process fork. What happens behind the library's back is not seen:
 * then connect() does what the kernel does if it succeeds, and asks about everything if it fails.
 */
static inline bool shim_fd_is_plain(int fd)
{
	return (unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_is_set(FD_PLAIN, fd);
}

/**
 * shim_fd_drop() - forget a mark whose absence costs no more than system calls
 * @table: FD_PLAIN, FD_QUICK or FD_SOCKET
 *
 * No system call: where the memory is the parent's, as after vfork(2), it is done all the same.
 */
void shim_fd_drop(enum shim_fd_table table, int fd);

/** shim_fd_copy() - a duplicate may be what the other file descriptor may be */
void shim_fd_copy(int from, int to);

/** shim_fd_unknown() - a file descriptor from elsewhere may be anything */
void shim_fd_unknown(int fd);

/**
 * shim_fd_clear() - forget a mark that is wrong
 *
 * Does nothing in a child of vfork(2), see shim_fd_is_owner().
 */
void shim_fd_clear(enum shim_fd_table table, int fd);

/** shim_fd_next() - the lowest marked number from @fd on, -1 if there is none; no huge ones */
int shim_fd_next(enum shim_fd_table table, int fd);

/** shim_fd_has_copies() - whether this process ever duplicated a marked file descriptor */
bool shim_fd_has_copies(void);

/**
 * shim_fd_is_owner() - whether the memory of this process is its own
 *
 * In a child of vfork(2) it is the parent's, and the table of file descriptors is not: what the
 * child closes stays open. One system call.
 */
bool shim_fd_is_owner(void);

/** shim_fd_start() - before main(): whatever was inherited may be an SMC socket */
void shim_fd_start(void);

#pragma GCC visibility pop
