/* SPDX-License-Identifier: MIT */
/* Choose SMC or TCP for a socket. */
#pragma once

#include <stdatomic.h>
#include <sys/socket.h>

#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/log.h"

#pragma GCC visibility push(hidden)

/* Opens and marks a socket; takes the arguments of socket(2). */
typedef int (*shim_open_fn)(int domain, int type, int protocol);

/* Fast path for AF_INET and AF_INET6. NULL: socket() checks everything. */
extern _Atomic(shim_open_fn) shim_openers[2];

/* The SMC kind that worked last, by family. */
extern atomic_int shim_working_kinds[2];

/*
 * Most sockets of this program use TCP: then socket() opens TCP sockets, see shim_fd_is_tcp(). Not
 * with SMC_STRICT or SMC_DEBUG.
 */
extern atomic_bool shim_is_tcp_first;

/** shim_open_tcp_first() - set whether socket() opens TCP sockets. No system call */
void shim_open_tcp_first(bool yes);

/** shim_look_again() - make the next socket() of each family search for a working kind again */
void shim_look_again(void);

#define SHIM_BIT(kind) (1U << (kind))

/**
 * shim_choose_open() - for socket(2): kinds of sockets that may be opened
 * @try: @err is set if there is none, @why if some are excluded
 *
 * Return: SHIM_BIT() of each.
 */
unsigned int shim_choose_open(struct socket_attempt *try, const struct shim_config *cfg, int v6);

/**
 * shim_choose_connect() - before connect(2): replace a socket of the wrong kind
 *
 * The kernel does not have the address yet, so nothing is done twice. Rules also apply with
 * SMC_STRICT and SMC_RAW, as they are explicit. Sockets in use are unchanged. @addr can be read,
 * and the program is not locked. Preserves errno.
 */
void shim_choose_connect(struct shim_fd *fd, const struct sockaddr *addr, socklen_t len);

/**
 * shim_choose_listen() - before bind(2): a socket with a port is going to listen
 * @addr: NULL before listen(2), which decides about the others
 */
void shim_choose_listen(struct shim_fd *fd, const struct sockaddr *addr, socklen_t len);

#pragma GCC visibility pop
