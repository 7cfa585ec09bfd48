/* SPDX-License-Identifier: MIT */
/* Replace an unconnected socket: same file descriptor, same options. */
#pragma once

#include <stdbool.h>

#include "ld_pre_smc/state/fd.h"

#pragma GCC visibility push(hidden)

/** shim_may_swap() - true if a socket is neither listening nor connecting nor connected */
bool shim_may_swap(int fd);

/**
 * shim_swap_open() - open a socket with the options and flags of another one
 * @fd: the SMC socket to replace, or a TCP socket whose @sock is filled in
 * @kind: kind to open, KIND_TCP too; SMC_STRICT forbids TCP (EPERM)
 *
 * For the copied settings see copy_settings() in replace_socket.c.
 *
 * Return: its file descriptor, for shim_swap_in() or close(); or -1 with errno, nothing changed.
 */
int shim_swap_open(const struct shim_fd *fd, enum shim_kind kind);

/**
 * shim_swap_in() - replace a socket by one from shim_swap_open()
 * @fd: socket to replace; it keeps its number and FD_CLOEXEC
 * @fresh: the new socket, closed here in any case; or -1
 * @kind: kind of @fresh
 * @why: for the debug line: "fd 3: WHY -> TCP"
 *
 * Repeats bind() if @fd was bound to an address; epoll instances of this process watch the new
 * socket in the same way as the old one. Copies of @fd in this process are replaced, too.
 *
 * Return: 0 with errno untouched; or -1 with errno: nothing was changed, except for EADDRINUSE (and
 * other errors of bind): the socket was replaced, and is not bound.
 */
int shim_swap_in(struct shim_fd *fd, int fresh, enum shim_kind kind, const char *why);

/** shim_swap_copies() - true if the option of that shim_option_name() is copied to a new socket */
bool shim_swap_copies(int level, int name);

/**
 * shim_inherit_options() - set options of SOL_SOCKET as on the listener, as TCP's clients have them
 *
 * Adds no system call if none was set on the listener; after a client for which there was nothing
 * to do, none until the next is set. Preserves errno.
 */
void shim_inherit_options(int listener, int fd);

/** shim_swap_unbound() - shim_swap(), but the new socket is not bound */
int shim_swap_unbound(struct shim_fd *fd, enum shim_kind kind, const char *why);

/**
 * shim_swap() - shim_swap_open() and shim_swap_in()
 *
 * The caller has checked that @fd is an SMC socket, and by shim_may_swap() that it is unused.
 */
int shim_swap(struct shim_fd *fd, enum shim_kind kind, const char *why);

/** shim_swap_by_rule() - shim_swap() to TCP, permitted here even with SMC_STRICT */
int shim_swap_by_rule(struct shim_fd *fd, const char *why);

/**
 * shim_swap_listener() - replace an SMC listener by a TCP socket that does not listen
 *
 * That is what shutdown(2) makes of a TCP listener. It has the same address, and listen() makes it
 * an SMC listener again if the listener was of this process alone. Threads that wait on the old
 * socket get a client that has left: accept() looks whether its number still listens. No locks:
 * also for signal handlers.
 *
 * Return: 0, or -1; errno is untouched.
 */
int shim_swap_listener(struct shim_fd *fd);

#pragma GCC visibility pop
