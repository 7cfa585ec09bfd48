/* SPDX-License-Identifier: MIT */
/* Keep data that SMC-R has not sent yet from being lost. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "ld_pre_smc/state/fd.h"
#include "smc/keep.h"

#pragma GCC visibility push(hidden)

/** shim_unsent_is_ours() - true for an SMC socket whose unsent data the library handles */
bool shim_unsent_is_ours(int fd);

/**
 * shim_push() - send the data that an SMC socket holds back
 * @fd: an SMC socket
 *
 * Preserves TCP_CORK, TCP_NODELAY and errno.
 */
void shim_push(int fd);

/**
 * shim_unsent() - bytes that a close of the descriptor would lose or wait for
 *
 * Negative if there are some and SO_LINGER is set: the program has chosen. Preserves errno.
 */
int shim_unsent(int fd);

/** shim_next_copy() - the lowest number from @from on that is the same file as @fd, but not @fd */
int shim_next_copy(int fd, const struct stat *mine, int from);

/**
 * shim_is_used_elsewhere() - true if the process or its parent has another descriptor of the socket
 *
 * As far as known: not if the descriptor is made by raw system calls, or in a third process.
 */
bool shim_is_used_elsewhere(int fd);

/**
 * shim_unsent_close() - prepare the close of a marked descriptor, whatever it is
 *
 * A socket passed to smc_keep also leaves the epoll instances of this process and raises no more
 * SIGIO, as after the kernel's last close. Preserves errno.
 *
 * Clears a wrong mark. An SMC socket keeps its mark: the next socket with its number is likely to
 * be one, too, and to clear a mark takes a system call.
 * Return: true for an SMC socket, perhaps of SMC-R (see shim_may_be_rdma()), with only the close
 * message left to send. Then block signals: SMC-R does not retry, and the peer would wait forever.
 */
bool shim_unsent_close(struct shim_fd *fd);

/**
 * shim_refuses() - true, with EPIPE, after shutdown() has left the socket to smc_keep
 *
 * The kernel would still accept data.
 */
bool shim_refuses(int fd);

/**
 * shim_unsent_leave() - pass the sockets of a process that ends to smc_keep
 * @by_exec: only those that exec will close, without waiting
 *
 * If exec fails, the program continues, and the copy does no harm. Preserves errno.
 */
void shim_unsent_leave(bool by_exec);

#pragma GCC visibility pop
