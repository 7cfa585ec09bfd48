/* SPDX-License-Identifier: MIT */
/* Ask the kernel about a file descriptor; fds.h has the library's memory of it. */
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "smc/abi.h"

#pragma GCC visibility push(hidden)

/* The two sockets that carry SMC, in no order of preference, and the one that does not. */
enum shim_kind {
	KIND_AF_SMC, /* socket(AF_SMC, SOCK_STREAM, SMCPROTO_SMC or SMCPROTO_SMC6) */
	KIND_INET,   /* socket(AF_INET or AF_INET6, SOCK_STREAM, IPPROTO_SMC) */
	KINDS,
	KIND_TCP = KINDS, /* an ordinary socket: what remains */
};

/* How each kind is opened. Second index: 0 for AF_INET, 1 for AF_INET6. */
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
 * struct shim_sock - a socket, as far as repairs need to know
 * @kind: KIND_AF_SMC or KIND_INET
 * @family: AF_INET or AF_INET6: the family of its addresses
 */
struct shim_sock {
	enum shim_kind kind;
	int family;
};

/**
 * shim_is_smc() - whether a file descriptor is an SMC socket that has not fallen back to TCP
 * @fd: any number
 * @sock: filled in if it is one; may be NULL
 *
 * SO_PROTOCOL says it: 256 for IPPROTO_SMC, with SO_DOMAIN AF_SMC 0 or 1; the file of a connection
 * that fell back is its TCP socket. One system call for most others. Leaves errno as it was.
 */
bool shim_is_smc(int fd, struct shim_sock *sock);

/* An integer option of a socket, or -1. Leaves errno as it was. */
int shim_int_option(int fd, int level, int name);

/* State of the TCP connection (TCP_CLOSE and so on) below a TCP or SMC socket, or -1. */
int shim_tcp_state(int fd);

/* Whether the peer's name is known: connected, and not yet shut down. */
bool shim_is_connected(int fd);

/**
 * shim_poll_now() - poll(2) without waiting
 *
 * Not poll() itself, which would make a cancellation point of functions that are not. Leaves errno
 * as it was.
 */
void shim_poll_now(struct pollfd *fds, int n);

/* The same for one: its revents, with POLLERR and POLLHUP whatever @events are. */
int shim_events(int fd, int events);

/**
 * shim_each_open() - call a function for every open file descriptor, lowest first
 * @arg: handed on
 *
 * Asks poll(2) for blocks of them, so that it needs no /proc. Numbers are given from below: a block
 * without an open one is the end.
 */
void shim_each_open(void (*visit)(int fd, void *arg), void *arg);

/**
 * shim_stat() - what a file is
 * @fd: the file, if @path is empty; not looked at if @path begins with a slash
 * @st: only device, inode and type are the same for every libc and architecture
 *
 * The kernel's call itself: the name that libc has for it depends on libc, and on its version.
 *
 * Return: 0, or -1 with errno.
 */
int shim_stat(int fd, const char *path, struct stat *st);

/**
 * shim_file_has() - whether a text is in a file of /proc
 * @dir: where @path begins, if not with a slash
 * @text: up to a line
 *
 * The file may be long: a user may have thousands of groups.
 */
bool shim_file_has(int dir, const char *path, const char *text);

/* Of CLOCK_MONOTONIC. */
long long shim_milliseconds(void);

/* The same clock's seconds, as of the last tick. */
unsigned int shim_seconds(void);

/* Sleep for a millisecond, without a cancellation point. Leaves errno as it was. */
void shim_nap(void);

/**
 * shim_would_restart() - whether TCP would have restarted the system call that was interrupted
 *
 * There is no telling which signal it was: yes if every handler of the program has SA_RESTART.
 */
bool shim_would_restart(void);

/* A new socket, CLOEXEC: see socket(2). */
int shim_new_socket(int family, enum shim_kind kind);

/* close(2) that leaves errno as it was, and is not a cancellation point. */
void shim_close(int fd);

/**
 * shim_linger_hide() - take SO_LINGER with a time away from a socket
 * @kept: what it was; all zero if there was none
 *
 * connect() and listen() hand on to the TCP socket that there is SO_LINGER, but not its time: when
 * the connection then falls back, close() resets it and data is lost (net/smc/af_smc.c,
 * smc_copy_sock_settings_to_clc()). A time of 0 asks for that and stays. Leaves errno as it was.
 */
void shim_linger_hide(int fd, struct linger *kept);

/* Give it back, to whatever the socket is now. Leaves errno as it was. */
void shim_linger_show(int fd, const struct linger *kept);

#pragma GCC visibility pop
