/* SPDX-License-Identifier: MIT */
/* Which file descriptors may be SMC sockets: what close() need not ask the kernel about. */
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * shim_fd_mark() - remember that a file descriptor may be an SMC socket
 * @fd: any number; negative ones are ignored
 *
 * A mark says "may be", so a wrong one costs a system call. A missing one costs what close() does
 * for SMC sockets, and nothing else may depend on it: sockets made by raw system calls have none.
 * No system call, no lock; leaves errno as it was.
 */
void shim_fd_mark(int fd);

/**
 * shim_fd_unmark() - forget a mark, before the file descriptor is closed
 * @fd: any number
 *
 * Does nothing in a child of vfork(2), whose memory is its parent's and whose descriptors are not.
 */
void shim_fd_unmark(int fd);

/** shim_fd_is_marked() - whether a file descriptor may be an SMC socket; true for huge numbers */
bool shim_fd_is_marked(int fd);

/** shim_fd_next() - the lowest marked number from @fd on, -1 if there is none; no huge ones */
int shim_fd_next(int fd);

/** shim_fd_start() - before main(): whatever was inherited may be an SMC socket */
void shim_fd_start(void);

/** shim_fd_forked() - in a child of fork(2), whose memory is its own */
void shim_fd_forked(void);

#pragma GCC visibility pop
