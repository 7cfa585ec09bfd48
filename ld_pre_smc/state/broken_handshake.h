/* SPDX-License-Identifier: MIT */
/* Connect by TCP if an SMC connection cannot be made. */
#pragma once

#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/handshake_memory.h"

#pragma GCC visibility push(hidden)

/**
 * shim_keep_address() - after a failed connect(2): bind to the same IP address again, if any
 *
 * SMC loses the address. A port alone may be the kernel's choice, which TCP gives up.
 */
void shim_keep_address(int fd, const union shim_address *from);

/**
 * shim_retry_tcp() - after connect(2): if the SMC handshake broke, connect by TCP
 * @fd: an SMC socket; a TCP socket replaces it, except with SMC_STRICT
 * @err: errno, or SO_ERROR of a non-blocking one
 *
 * The peer is remembered for an hour (state/lives.c).
 * Return: errno of TCP's connect(2), 0 for success; @err if TCP was not tried. errno may change.
 */
int shim_retry_tcp(struct shim_fd *fd, const struct shim_route *route, int err);

/**
 * shim_retry_tcp_late() - shim_retry_tcp() when the program reads SO_ERROR
 * @err: the kernel's value, not 0
 *
 * TCP connects without waiting: the program then waits for it to become writable, as before.
 * Return: 0 if that is connected or in progress, else the error. Preserves errno.
 */
int shim_retry_tcp_late(struct shim_fd *fd, int err);

/**
 * shim_lost_error() - errno of a failed attempt of which poll(2) only says POLLHUP
 *
 * After the last SYN it is a timeout; before, a router or a missing neighbor was the cause.
 * Return: ETIMEDOUT or EHOSTUNREACH; 0 if TCP is not closed, or was closed by an answer.
 */
int shim_lost_error(int fd);

/**
 * shim_shut_attempt() - shutdown(2) of an SMC socket while a non-blocking connect(2) is in progress
 *
 * The kernel ends TCP's attempt, but not SMC's: so a TCP socket connects and is shut down. The next
 * connect(2) makes it an SMC socket again: only a socket of this process is replaced.
 * Return: 0 or errno, ENOTCONN if there is no such attempt. errno may change.
 */
int shim_shut_attempt(struct shim_fd *fd, int how);

#pragma GCC visibility pop
