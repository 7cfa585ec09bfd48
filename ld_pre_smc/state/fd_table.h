/* SPDX-License-Identifier: MIT */
/* Which file descriptors may be SMC sockets: what others need not ask the kernel about. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* One byte for each number, in pages of zeros that cost no memory until they are written to. */
#define SHIM_FD_NUMBERS (1 << 20)

/* The bits of a byte. */
enum shim_fd_bit {
	FD_SMC = 1,	/* may be an SMC socket */
	FD_EPOLL = 2,	/* may be an epoll instance */
	FD_KEPT = 4,	/* smc_keep has it too, since shutdown() */
	FD_PLAIN = 8,	/* see shim_fd_is_plain(); with FD_SMC, or not at all */
	FD_QUICK = 16,	/* a listener that did not wait when it was asked last */
	FD_SOCKET = 32, /* see shim_fd_mark_socket() */
	FD_OWN = 64,	/* see shim_fd_is_own() */
	FD_TIMED = 128, /* a connection whose life is measured, see lives.h */
};

extern unsigned char shim_fd_bytes[SHIM_FD_NUMBERS];

/* Bytes from here on are zero. */
extern atomic_int shim_fd_end;

void shim_fd_raise_end(int fd);

/** shim_fd_set() - set a bit; @fd is below SHIM_FD_NUMBERS */
void shim_fd_set(unsigned int bits, int fd);

static inline unsigned char shim_fd_byte(int fd)
{
	return __atomic_load_n(&shim_fd_bytes[fd], __ATOMIC_RELAXED);
}

static inline bool shim_fd_is_set(unsigned int bits, int fd)
{
	return shim_fd_byte(fd) & bits;
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

/* A new descriptor of socket(): one store, as nobody else has the number yet. */
static inline void shim_fd_new(int fd, unsigned int bits)
{
	/* These stay: in a child of vfork(2) they are its parent's, see shim_fd_is_owner(). */
	unsigned int kept = FD_EPOLL | FD_KEPT;

	if ((unsigned int)fd >= SHIM_FD_NUMBERS)
		return;
	__atomic_store_n(&shim_fd_bytes[fd], (unsigned char)((shim_fd_byte(fd) & kept) | bits),
			 __ATOMIC_RELAXED);
	if (fd >= atomic_load_explicit(&shim_fd_end, memory_order_relaxed))
		shim_fd_raise_end(fd);
}

/** shim_fd_mark_plain() - socket() opened an SMC socket, see shim_fd_is_plain() */
static inline void shim_fd_mark_plain(int fd)
{
	shim_fd_new(fd, FD_SMC | FD_SOCKET | FD_PLAIN | FD_OWN);
}

/** shim_fd_mark_tcp() - socket() opened TCP first, see shim_fd_is_tcp() */
static inline void shim_fd_mark_tcp(int fd)
{
	shim_fd_new(fd, FD_OWN);
}

/**
 * shim_fd_is_own() - whether nobody but this process's setsockopt() can have set its options
 *
 * socket() of this library gave this number or one that it is a duplicate of, and the process did
 * not fork since. Others to whom it was passed are the exception: see shim_option_was_set().
 */
static inline bool shim_fd_is_own(int fd)
{
	return (unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_is_set(FD_OWN, fd);
}

/**
 * shim_fd_is_tcp() - whether socket() opened a TCP socket where it could have been one of SMC
 *
 * connect() and listen() may still make it one. A number that a raw system call closed may be any
 * file by now: they ask.
 */
static inline bool shim_fd_is_tcp(int fd)
{
	return (unsigned int)fd < SHIM_FD_NUMBERS &&
	       (shim_fd_byte(fd) & (FD_OWN | FD_SMC)) == FD_OWN;
}

/** shim_fd_close() - whether what is to be closed was marked as a socket. It no longer is */
bool shim_fd_close(int fd);

/**
 * shim_fd_is_plain() - whether connect() need not ask before it tries
 *
 * socket() of this library gave this number, for SMC, and none of the library's functions has since
 * bound it, given it SO_LINGER or SO_SNDTIMEO, made or put a duplicate of it, replaced it, or seen
 * its connect() fail; nor did the process fork. A raw system call is not seen:
 * then connect() does what the kernel does if it succeeds, and asks about everything if it fails.
 */
static inline bool shim_fd_is_plain(int fd)
{
	return (unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_is_set(FD_PLAIN, fd);
}

/**
 * shim_fd_drop() - forget a mark whose absence costs no more than system calls
 * @bits: FD_PLAIN, FD_QUICK, FD_SOCKET, FD_OWN, FD_TIMED
 *
 * No system call: where the memory is the parent's, as after vfork(2), it is done all the same.
 */
void shim_fd_drop(unsigned int bits, int fd);

/**
 * shim_fd_copy() - a duplicate may be what the other file descriptor may be
 *
 * A descriptor that was inherited, or came from elsewhere, is looked at here, once: then neither it
 * nor its duplicates cost system calls when they are closed.
 */
void shim_fd_copy(int from, int to);

/** shim_fd_unknown() - a file descriptor from elsewhere may be anything */
void shim_fd_unknown(int fd);

/**
 * shim_fd_clear() - forget a mark that is wrong
 *
 * Does nothing in a child of vfork(2), see shim_fd_is_owner().
 */
void shim_fd_clear(unsigned int bits, int fd);

/** shim_fd_next() - the lowest marked number from @fd on, -1 if there is none; no huge ones */
int shim_fd_next(unsigned int bits, int fd);

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
