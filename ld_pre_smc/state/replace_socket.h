/* SPDX-License-Identifier: MIT */
/* Replace an unconnected socket: same file descriptor, same options. */
#pragma once

#include <stdbool.h>

#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/handshake_memory.h"

#pragma GCC visibility push(hidden)

/** shim_may_replace() - true if a socket is neither listening nor connecting nor connected */
bool shim_may_replace(int fd);

/** shim_replace_copies() - true if the option, by shim_option_name(), is copied to new sockets */
bool shim_replace_copies(int level, int name);

/**
 * shim_replace() - replace a socket by a new one with its options, flags and address
 * @fd: an SMC socket, or a TCP socket whose @sock is filled in; not in use: shim_may_replace()
 * @kind: of the new socket; @why: for the debug line: "fd 3: WHY -> TCP"
 *
 * The number and FD_CLOEXEC stay; epoll instances of this process watch the new socket in the same
 * way as the old one. Copies of @fd in this process are replaced, too. For the copied settings see
 * copy_settings() in replace_socket.c. A TCP socket may become an SMC socket again at the next
 * connect(2) or listen(2), unless it loses FD_OWN.
 * Return: 0 with errno untouched; or an errno with nothing changed, except after EADDRINUSE and
 * other errors of bind(): the socket was replaced, and is not bound.
 */
int shim_replace(struct shim_fd *fd, enum shim_kind kind, const char *why);

/** shim_replace_unbound() - shim_replace(), but the new socket is not bound */
int shim_replace_unbound(struct shim_fd *fd, enum shim_kind kind, const char *why);

/**
 * shim_replace_open() - open the new socket of shim_replace(); SMC_STRICT forbids TCP (EPERM)
 *
 * Return: its file descriptor, for shim_replace_by() or close(); or -1 with errno.
 */
int shim_replace_open(const struct shim_fd *fd, enum shim_kind kind);

/** shim_replace_by() - shim_replace() by @fresh from shim_replace_open(), which it always closes */
int shim_replace_by(struct shim_fd *fd, int fresh, enum shim_kind kind, const char *why);

/**
 * shim_bind_again() - bind(2) a new socket to the address of an old one, if its family is not 0
 * @tries: a millisecond apart, while the port is still in use
 * @first: if the port stays in use and is not lower than this, the kernel chooses another
 */
int shim_bind_again(int fd, const union shim_address *addr, int tries, int first);

/**
 * shim_replace_listener() - replace an SMC listener by a TCP socket that does not listen
 *
 * This is the effect of shutdown(2) on a TCP listener. The new socket has the same address, and
 * listen() makes it an SMC listener again if only this process had the listener. Threads that wait
 * on the old socket get a client that has left, so accept() checks whether its number still
 * listens. Takes no locks: safe in signal handlers.
 * Return: 0, or -1; errno is untouched.
 */
int shim_replace_listener(struct shim_fd *fd);

/**
 * shim_inherit_options() - set options of SOL_SOCKET as on the listener, as TCP's clients have them
 *
 * Adds no system call if none was set on the listener, or if nothing had to be set on the last
 * client and none was set since. Preserves errno.
 */
void shim_inherit_options(int listener, int fd);

#pragma GCC visibility pop
