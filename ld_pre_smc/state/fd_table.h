/* SPDX-License-Identifier: MIT */
/* Marks of file descriptors that may be SMC sockets, which save system calls. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* One byte per number, in zero pages that use no memory until they are written. */
#define SHIM_FD_NUMBERS (1 << 20)

/* Marks of a descriptor: bits of its byte. */
enum shim_fd_bit {
	FD_SMC = 1,	/* may be an SMC socket */
	FD_EPOLL = 2,	/* may be an epoll instance */
	FD_KEPT = 4,	/* smc_keep has a copy, since shutdown() */
	FD_PLAIN = 8,	/* see shim_fd_mark_plain(); with FD_SMC, or not at all */
	FD_QUICK = 16,	/* a listener that was non-blocking at the last check */
	FD_SOCKET = 32, /* see shim_fd_mark_socket() */
	FD_OWN = 64,	/* see shim_fd_is_own() */
	FD_TIMED = 128, /* a connection whose life is measured, see lives.h */
};

/*
 * Follow the bytes of all numbers: nonzero if a descriptor with the same lower 16 bits was ever
 * marked. Calls that read and write use these, as such an index needs no check. They share an array
 * so that socket() needs one address. Compilers expect this alignment of external arrays.
 */
#define SHIM_FD_DATA(fd) (SHIM_FD_NUMBERS + (size_t)(unsigned short)(fd))

extern unsigned char shim_fd_bytes[SHIM_FD_NUMBERS + (1 << 16)] __attribute__((aligned(16)));

/* All bytes of numbers from here on are zero; at most SHIM_FD_NUMBERS. */
extern atomic_int shim_fd_end;

/**
 * shim_fd_may_be_smc() - shim_fd_is_marked() in four instructions; true for more descriptors
 *
 * An atomic read would take one more. Bytes only change from 0 to 1.
 */
__attribute__((no_sanitize("thread"))) static inline bool shim_fd_may_be_smc(int fd)
{
	return __builtin_expect(shim_fd_bytes[SHIM_FD_DATA(fd)], 0);
}

static inline void shim_fd_mark_data(int fd)
{
	__atomic_store_n(&shim_fd_bytes[SHIM_FD_DATA(fd)], 1, __ATOMIC_RELAXED);
}

/** shim_fd_set() - set bits of any number; a huge one, which has no byte, only gets FD_SMC's */
void shim_fd_set(unsigned int bits, int fd);

static inline unsigned char shim_fd_byte(int fd)
{
	return __atomic_load_n(&shim_fd_bytes[fd], __ATOMIC_RELAXED);
}

/** shim_fd_marks() - bits of any number; for a huge one, any bits */
static inline unsigned char shim_fd_marks(int fd)
{
	if ((unsigned int)fd < SHIM_FD_NUMBERS)
		return shim_fd_byte(fd);
	return fd > 0 ? FD_SMC | FD_EPOLL : 0;
}

static inline bool shim_fd_is_set(unsigned int bits, int fd)
{
	return shim_fd_marks(fd) & bits;
}

/** shim_fd_is_marked() - true if a descriptor may be an SMC socket, or has a huge number */
static inline bool shim_fd_is_marked(int fd)
{
	return shim_fd_is_set(FD_SMC, fd);
}

/**
 * shim_marked_is_smc() - shim_is_smc() for a marked descriptor; clears a wrong mark
 *
 * The mark of an own socket that has fallen back remains: connect() may use it again.
 */
bool shim_marked_is_smc(int fd);

/**
 * shim_fd_mark_socket() - mark a descriptor that may be an SMC socket, and is a socket until closed
 *
 * A wrong FD_SMC only costs system calls, once. Without it, close() and accept() do nothing for an
 * SMC socket; nothing else may depend on it, because sockets of raw system calls have none. FD_SMC
 * alone is no proof: the number may have become any file, and drivers may misinterpret an ioctl(2)
 * meant for sockets. Those of DRM look only at the last byte.
 */
static inline void shim_fd_mark_socket(int fd)
{
	shim_fd_set(FD_SMC | FD_SOCKET, fd);
}

/** shim_fd_is_socket() - true if a descriptor is marked, and known to be a socket */
static inline bool shim_fd_is_socket(int fd)
{
	const unsigned char both = FD_SMC | FD_SOCKET;

	return (unsigned int)fd < SHIM_FD_NUMBERS && (shim_fd_byte(fd) & both) == both;
}

/* True even for -1. No atomic read, see shim_fd_may_be_smc(). The end only rises. */
__attribute__((no_sanitize("thread"))) static inline bool shim_fd_is_highest(int fd)
{
	return (unsigned int)fd >= *(const unsigned int *)(const void *)&shim_fd_end;
}

/* shim_fd_new() for a number that is higher than all before, or -1 */
int shim_fd_new_end(int fd, unsigned int bits);

/*
 * A new descriptor of socket(): a plain store, as no other thread has the number yet. Return: @fd,
 * so that the caller need not keep it.
 */
static inline int shim_fd_new(int fd, unsigned int bits)
{
	/* Keep these: a child of vfork(2) would clear its parent's, see shim_fd_is_owner(). */
	unsigned int kept = FD_EPOLL | FD_KEPT;

	if (shim_fd_is_highest(fd))
		return shim_fd_new_end(fd, bits);
	if (bits & FD_SMC)
		shim_fd_mark_data(fd);
	__atomic_store_n(&shim_fd_bytes[fd], (unsigned char)((shim_fd_byte(fd) & kept) | bits),
			 __ATOMIC_RELAXED);
	return fd;
}

/**
 * shim_fd_mark_plain() - socket() opened an SMC socket: connect() may skip its checks at first
 *
 * The mark stays until a function of the library binds it, sets SO_LINGER or SO_SNDTIMEO,
 * duplicates or replaces it, or sees its connect() fail; or the process forks. After raw system
 * calls, connect() does what the kernel does on success, and checks everything on failure.
 */
static inline int shim_fd_mark_plain(int fd)
{
	return shim_fd_new(fd, FD_SMC | FD_SOCKET | FD_PLAIN | FD_OWN);
}

/**
 * shim_fd_is_own() - true if only this process can have set its options
 *
 * True if socket() of this library returned this number or its original, and the process has not
 * forked since. A process to which it was passed may still set some: see shim_option_was_set().
 */
static inline bool shim_fd_is_own(int fd)
{
	return shim_fd_is_set(FD_OWN, fd);
}

/**
 * shim_fd_is_tcp() - true for a TCP socket of socket() that could have been an SMC socket
 *
 * connect() and listen() may still convert it. They check it first: after a raw system call has
 * closed the number, it may be any file.
 */
static inline bool shim_fd_is_tcp(int fd)
{
	return (shim_fd_marks(fd) & (FD_OWN | FD_SMC)) == FD_OWN;
}

/**
 * shim_fd_drop() - clear marks whose absence costs only system calls
 * @bits: FD_PLAIN, FD_QUICK, FD_SOCKET, FD_OWN, FD_TIMED
 *
 * No system call: also done if the memory is the parent's, as after vfork(2).
 */
void shim_fd_drop(unsigned int bits, int fd);

/**
 * shim_fd_copy() - copy the marks of a descriptor to its duplicate
 *
 * Checks an inherited or received descriptor once, so that closing it or its duplicates costs no
 * system calls.
 */
void shim_fd_copy(int from, int to);

/**
 * shim_fd_has_options() - true if options of SOL_SOCKET may have been set on a descriptor
 *
 * True even if that was an earlier descriptor with the number, or one that has become a listener.
 */
bool shim_fd_has_options(int fd);

/** shim_fd_note_options() - set the result of shim_fd_has_options(). No system call */
void shim_fd_note_options(int fd, bool has);

/** shim_fd_unknown() - mark a received descriptor, which may be anything */
void shim_fd_unknown(int fd);

/** shim_fd_clear() - clear a wrong mark; not in a child of vfork(2), see shim_fd_is_owner() */
void shim_fd_clear(unsigned int bits, int fd);

/* True if this process ever duplicated a marked descriptor, and may have an epoll instance. */
extern atomic_bool shim_has_copies, shim_has_epoll;

/** shim_fd_next() - the lowest marked number from @fd on, except huge ones; -1: there is none */
int shim_fd_next(unsigned int bits, int fd);

/**
 * shim_fd_is_owner() - true if this process owns its memory
 *
 * In a child of vfork(2) the memory is the parent's, but the table of descriptors is not:
 * descriptors closed by the child stay open in the parent. One system call.
 */
bool shim_fd_is_owner(void);

/**
 * shim_fd_prepare() - before the first mark of an SMC socket, and the first socket()
 *
 * Sets shim_in_sandbox, and the owner for shim_fd_is_owner().
 */
void shim_fd_prepare(void);

/** shim_fd_start() - before main(): mark inherited SMC sockets and epoll instances */
void shim_fd_start(void);

#pragma GCC visibility pop
