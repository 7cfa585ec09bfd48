/* SPDX-License-Identifier: MIT */
/* Another socket in the place of an unconnected one: same file descriptor, same options. */
#pragma once

#include <stdbool.h>

#include "ld_pre_smc/state/sock.h"

#pragma GCC visibility push(hidden)

/** shim_may_swap() - whether a socket is as new: neither listening nor connecting nor connected */
bool shim_may_swap(int fd);

/**
 * shim_swap_open() - a new socket with the options and flags of another one
 * @fd: the SMC socket to be replaced
 * @sock: what it is, of shim_is_smc()
 * @kind: what to get, KIND_TCP too; SMC_STRICT forbids TCP (EPERM)
 *
 * What is copied: see copy_settings() in swap.c.
 *
 * Return: its file descriptor, for shim_swap_in() or close(); or -1 with errno, nothing changed.
 */
int shim_swap_open(int fd, const struct shim_sock *sock, enum shim_kind kind);

/**
 * shim_swap_in() - put a socket of shim_swap_open() into the place of another one
 * @fd: what is replaced; it keeps its number and FD_CLOEXEC
 * @fresh: the new socket, closed here in any case
 * @kind: what it is
 * @why: for the debug line: "fd 3: WHY -> TCP"
 *
 * An address that @fd was bound to is bound again, and epoll instances of this process watch the
 * new socket as they watched the old one. Other descriptors made by dup(2) keep the old socket.
 *
 * Return: 0 with errno untouched; or -1 with errno: nothing was changed, but for EADDRINUSE (and
 * other errors of bind): the socket was replaced, and is not bound.
 */
int shim_swap_in(int fd, int fresh, enum shim_kind kind, const char *why);

/** shim_swap_copies() - whether a new socket gets what setsockopt(2) set by that name */
bool shim_swap_copies(int level, int name);

/** shim_swap_unbound() - shim_swap(), but the new socket is not bound */
int shim_swap_unbound(int fd, const struct shim_sock *sock, enum shim_kind kind, const char *why);

/**
 * shim_swap() - shim_swap_open() and shim_swap_in()
 *
 * The caller knows that @fd is an SMC socket, and by shim_may_swap() that it is unused.
 */
int shim_swap(int fd, const struct shim_sock *sock, enum shim_kind kind, const char *why);

/** shim_swap_by_rule() - shim_swap() to TCP, which SMC_STRICT does not forbid here */
int shim_swap_by_rule(int fd, const struct shim_sock *sock, const char *why);

#pragma GCC visibility pop
