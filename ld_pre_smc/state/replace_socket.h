/* SPDX-License-Identifier: MIT */
/* Replace an unconnected socket: same file descriptor, same options. */
#pragma once

#include <stdbool.h>

#include "ld_pre_smc/state/fd.h"

#pragma GCC visibility push(hidden)

/** shim_may_swap() - true if a socket is neither listening nor connecting nor connected */
bool shim_may_swap(int fd);

/** shim_swap_copies() - true if the option of that shim_option_name() is copied to a new socket */
bool shim_swap_copies(int level, int name);

/**
 * shim_swap() - replace a socket by a new one with its options, flags and address
 * @fd: an SMC socket, or a TCP socket whose @sock is filled in; not in use: shim_may_swap()
 * @kind: of the new socket
 * @why: for the debug line: "fd 3: WHY -> TCP"
 *
 * The number and FD_CLOEXEC stay; epoll instances of this process watch the new socket in the same
 * way as the old one. Copies of @fd in this process are replaced, too. For the copied settings see
 * copy_settings() in replace_socket.c. A TCP socket may become an SMC socket again at the next
 * connect(2) or listen(2), unless it loses FD_OWN.
 *
 * Return: 0 with errno untouched; or the errno: nothing was changed, except for EADDRINUSE (and
 * other errors of bind): the socket was replaced, and is not bound.
 */
int shim_swap(struct shim_fd *fd, enum shim_kind kind, const char *why);

/** shim_swap_by_rule() - shim_swap() to TCP */
int shim_swap_by_rule(struct shim_fd *fd, const char *why);

/** shim_swap_unbound() - shim_swap(), but the new socket is not bound */
int shim_swap_unbound(struct shim_fd *fd, enum shim_kind kind, const char *why);

/**
 * shim_swap_open() - open the new socket of shim_swap(); SMC_STRICT forbids TCP (EPERM)
 *
 * Return: its file descriptor, for shim_swap_in() or close(); or -1 with errno.
 */
int shim_swap_open(const struct shim_fd *fd, enum shim_kind kind);

/** shim_swap_in() - shim_swap() by @fresh of shim_swap_open(), closed here in any case */
int shim_swap_in(struct shim_fd *fd, int fresh, enum shim_kind kind, const char *why);

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

/**
 * shim_inherit_options() - set options of SOL_SOCKET as on the listener, as TCP's clients have them
 *
 * Adds no system call if none was set on the listener; after a client for which there was nothing
 * to do, none until the next is set. Preserves errno.
 */
void shim_inherit_options(int listener, int fd);

#pragma GCC visibility pop
