/* SPDX-License-Identifier: MIT */
/*
 * Apply SMC_SNDBUF and SMC_RCVBUF to SMC sockets, but not to TCP sockets.
 *
 * A size that is set on a socket is locked: TCP does not tune it. SMC passes locked sizes on to the
 * TCP connection that it falls back to, and a listener's clients get SMC buffers of its TCP
 * socket's size only if that size is locked. So our sizes are unlocked (SO_BUF_LOCK, Linux 5.14)
 * except while listen(2) copies them, and unlocked again on clients that came over TCP. Sizes set
 * by the program itself stay locked; the listener shows which these are. None of this is done for a
 * locked program, see shim_is_locked.
 */
#pragma once

#include "ld_pre_smc/state/config.h"

#pragma GCC visibility push(hidden)

/**
 * shim_give_buffers() - apply SMC_SNDBUF and SMC_RCVBUF, above the limits if permitted
 * @locks: SO_BUF_LOCK of @fd, for sizes to keep; 0 for a new socket, -1 if there is no such option
 * @errs: set to the errno for each of the two
 */
void shim_give_buffers(int fd, int locks, int errs[2]);

/**
 * shim_lock_buffers() - before listen(2) of an SMC socket: lock the sizes that are ours
 *
 * Return: argument for shim_relock_buffers(); -1: nothing was done.
 */
int shim_lock_buffers(int fd);

/**
 * shim_relock_buffers() - after listen(2): keep only the program's own locks
 * @locks: 0 for a new socket, so that TCP tunes its own sizes; -1: nothing is done
 *
 * Preserves errno.
 */
void shim_relock_buffers(int fd, int locks);

/**
 * shim_accepted_buffers() - give a client accepted over TCP the same locked sizes as its listener
 *
 * Preserves errno.
 */
void shim_accepted_buffers(int listener, int fd);

/**
 * shim_copy_buffers() - copy sizes to a socket that replaces @from
 * @are_both_smc: otherwise only sizes that the program has set are copied
 */
void shim_copy_buffers(int from, int to, bool are_both_smc);

/* Wake waiting writers, by setting a size or a limit to its present value. */
void shim_wake(int fd, bool is_smc);

#pragma GCC visibility pop
