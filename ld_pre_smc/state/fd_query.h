/* SPDX-License-Identifier: MIT */
/* Query the kernel about a descriptor; fd_table.h has the library's own marks. */
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/auto_errno.h"
#include "smc/family.h"

#pragma GCC visibility push(hidden)

/* The two kinds of SMC sockets, in no order of preference, and TCP. */
enum shim_kind {
	KIND_AF_SMC, /* socket(AF_SMC, SOCK_STREAM, SMCPROTO_SMC or SMCPROTO_SMC6) */
	KIND_INET,   /* socket(AF_INET or AF_INET6, SOCK_STREAM, IPPROTO_SMC) */
	KINDS,
	KIND_TCP = KINDS, /* a plain TCP socket */
};

/* Arguments of socket(2) for each kind. Second index: 0 for AF_INET, 1 for AF_INET6. */
static const struct shim_socket_args {
	int domain;
	int protocol;
} shim_sockets[KINDS + 1][2] = {
	[KIND_AF_SMC] = { { AF_SMC, SMCPROTO_SMC }, { AF_SMC, SMCPROTO_SMC6 } },
	[KIND_INET] = { { AF_INET, IPPROTO_SMC }, { AF_INET6, IPPROTO_SMC } },
	[KIND_TCP] = { { AF_INET, 0 }, { AF_INET6, 0 } },
};

/* By enum shim_kind. */
extern const char *const shim_kind_names[KINDS + 1];

/**
 * struct shim_sock - description of a socket, for repairs
 * @kind: KIND_AF_SMC or KIND_INET; @family: AF_INET or AF_INET6: the family of its addresses
 */
struct shim_sock {
	enum shim_kind kind;
	int family;
};

/**
 * shim_is_smc() - true for an SMC socket that has not fallen back to TCP
 * @fd: any number
 * @sock: filled in if it is one; may be NULL
 *
 * SO_PROTOCOL is 256 for IPPROTO_SMC; 0 or 1 for AF_SMC, which SO_DOMAIN confirms. After a fallback
 * the kernel answers for the TCP socket. Most other sockets take one system call. Preserves errno.
 */
bool shim_is_smc(int fd, struct shim_sock *sock);

/* An integer option of a socket, or -1. Preserves errno. */
int shim_int_option(int fd, int level, int name);

/* State (TCP_CLOSE and so on) of a TCP socket, or of the one inside an SMC socket, or -1. */
int shim_tcp_state(int fd);

/* True if TCP is connecting, connected, or closing. */
bool shim_is_tcp_active(int fd);

/* True if the peer's name is known: connected, and not yet shut down. */
bool shim_is_connected(int fd);

/* Events there are now, with POLLERR and POLLHUP whatever @events are. Preserves errno. */
int shim_events(int fd, int events);

/**
 * shim_wait() - wait for events of a descriptor: a cancellation point
 * @end: shim_milliseconds() of the timeout
 * @mask: signals blocked while it waits, a set of the kernel; NULL changes none
 *
 * Return: its revents, 0 after the timeout, -1 with errno.
 */
int shim_wait(int fd, int events, long long end, const void *mask);

/* Seconds that connect() adds to SO_SNDTIMEO to hide it; no program waits for so long. */
#define SHIM_HIDDEN 0x3a000000

/* SO_SNDTIMEO in milliseconds, -1 for none, even while it is hidden. */
int shim_send_timeout(int fd, struct timeval *time);

/**
 * shim_each_open() - call a function for every open file descriptor, lowest first
 * @arg: passed to the function
 *
 * Calls poll(2) for blocks of them, so it needs no /proc. The kernel allocates the lowest free
 * number, so a block without open files is the end.
 */
void shim_each_open(void (*visit)(int fd, void *arg), void *arg);

/**
 * shim_stat() - get the type of a file
 * @fd: the file, if @path is empty; ignored if @path begins with a slash
 * @st: only device, inode and type are the same for every libc and architecture
 *
 * Uses the system call: its name in libc depends on libc, and on its version.
 * Return: 0, or -1 with errno.
 */
int shim_stat(int fd, const char *path, struct stat *st);

/** shim_is_file() - true if this is the file that shim_stat() described in @st */
bool shim_is_file(int fd, const char *path, const struct stat *st);

/**
 * shim_file_has() - look for a text in a file of /proc
 * @dir: start of a relative @path; @text: at most one line
 *
 * Return: 1 if it contains the text, 0 if not, -errno if it cannot be read.
 */
int shim_file_has(int dir, const char *path, const char *text);

/* Time of CLOCK_MONOTONIC. */
long long shim_milliseconds(void);

/* Seconds of CLOCK_MONOTONIC, as of the last tick. */
unsigned int shim_seconds(void);

/* Sleep for a millisecond, without a cancellation point. Preserves errno. */
void shim_nap(void);

/* True if TCP would have restarted the system call, because every handler has SA_RESTART. */
bool shim_would_restart(void);

/* A new socket, CLOEXEC: see socket(2). */
int shim_new_socket(int family, enum shim_kind kind);

/* close(2) that preserves errno, and is not a cancellation point. */
void shim_close(int fd);

#pragma GCC visibility pop
