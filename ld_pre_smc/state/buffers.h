/* SPDX-License-Identifier: MIT */
/*
 * SMC_SNDBUF and SMC_RCVBUF on the way into the kernel, and not into TCP.
 *
 * A size that is set on a socket is locked: TCP does not tune it. SMC hands locked sizes to the
 * TCP connection that it falls back to, and the clients of a listener get SMC buffers of its TCP
 * socket's size only if that is locked. So sizes of ours are unlocked (SO_BUF_LOCK, Linux 5.14) but
 * while listen(2) copies them, and unlocked again on clients that came over TCP. What the program
 * itself set stays locked: the listener says which. All this is nothing for a program that has
 * locked itself, see shim_is_locked.
 */
#pragma once

#include "ld_pre_smc/state/config.h"

#pragma GCC visibility push(hidden)

/**
 * shim_set_buffer() - SMC_SNDBUF or SMC_RCVBUF, beyond the limit for those who may
 * @name: SO_SNDBUF or SO_RCVBUF
 * @bytes: 0: nothing is done
 *
 * The kernel caps a size silently at net.core.wmem_max or rmem_max, but not for those who may
 * raise these. smc_run of smc-tools 1.8.5 did so for the whole machine. What it takes is found out
 * once: a socket then costs one system call.
 *
 * Return: 0, or errno of setting it.
 */
int shim_set_buffer(int fd, int name, int bytes);

/** shim_unlock_buffers() - as they are when nobody set them: TCP tunes its own */
void shim_unlock_buffers(int fd);

/**
 * shim_lock_buffers() - before listen(2) of an SMC socket: lock what we set
 *
 * Return: what is to be given back to shim_relock_buffers(); -1: nothing was done.
 */
int shim_lock_buffers(int fd);

/** shim_relock_buffers() - after listen(2): what the program itself has locked. Keeps errno */
void shim_relock_buffers(int fd, int locks);

/**
 * shim_accepted_buffers() - what a client has locked that came over TCP: as its listener
 *
 * Keeps errno.
 */
void shim_accepted_buffers(int listener, int fd);

/** shim_copy_buffers() - to a socket that replaces @from: between SMC and TCP the program's own */
void shim_copy_buffers(int from, int to, bool are_both_smc);

/** shim_give_buffers() - SMC_SNDBUF and SMC_RCVBUF, to what has become an SMC socket */
void shim_give_buffers(int fd);

#pragma GCC visibility pop
