/* SPDX-License-Identifier: MIT */
/* Data that SMC-R has not sent yet, and what becomes of it. */
#pragma once

#include <stdbool.h>

#include "smc/keep.h"

#pragma GCC visibility push(hidden)

/** shim_unsent_is_ours() - whether this is an SMC socket whose data the library cares for */
bool shim_unsent_is_ours(int fd);

/**
 * shim_push() - send what an SMC socket holds back
 * @fd: an SMC socket
 *
 * What was written with MSG_MORE waits for the next write, and may wait for ever: the peer's
 * reading need not send it. TCP waits 200 ms at most. See smc_tx_should_cork() in net/smc/smc_tx.c.
 * TCP_CORK and TCP_NODELAY are what they were afterwards, errno too.
 */
void shim_push(int fd);

/**
 * shim_unsent() - bytes that would be lost, or waited for, if a file descriptor were closed now
 *
 * Less than 0 if there are some and SO_LINGER is set: then the program has said itself what is to
 * be. Leaves errno as it was.
 */
int shim_unsent(int fd);

/* Who has a socket when its last known descriptor of this process is closed. */
enum unsent_owner { OWNER_NONE, OWNER_OTHER, OWNER_KEEPER };

/**
 * shim_unsent_give() - hand a socket whose last descriptor is to be closed to smc_keep
 * @fd: an SMC socket with unsent data, in a process that shim_fd_is_owner()
 *
 * Nothing to do where another descriptor of this process or of its parent is known to refer to it.
 * Leaves errno as it was.
 *
 * Return: who has it, and so nothing is lost and nobody waits; OWNER_NONE if there is nobody.
 */
enum unsent_owner shim_unsent_give(int fd);

/**
 * shim_unsent_close() - what is to be done before a marked file descriptor is closed
 * @fd: any open file descriptor
 *
 * One that smc_keep got also leaves the epoll instances of this process and raises no SIGIO any
 * more, as the kernel has it when a last descriptor is closed. Leaves errno as it was.
 *
 * The mark is forgotten where it was wrong. What is an SMC socket keeps it: the next socket with
 * its number is likely to be one, too, and to clear a mark takes a system call.
 *
 * Return: whether this is an SMC socket, perhaps of SMC-R, with nothing left but to tell the peer,
 * see shim_may_be_rdma(). Signals are to be blocked for that: SMC-R
 * does not try again, and the peer waits for ever. See smc_wr_tx_get_free_slot() in
 * net/smc/smc_wr.c: a link has few slots for messages, and a signal ends the wait for one.
 */
bool shim_unsent_close(int fd);

/** shim_is_open() - whether a file descriptor is open. Leaves errno as it was. */
bool shim_is_open(int fd);

#pragma GCC visibility pop
