/* SPDX-License-Identifier: MIT */
/* The sockets that smc_keep holds. */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "smc/keep.h"

/**
 * held_take() - hold a socket from now on
 * @fd: the socket, which belongs to the keeper from here; closed at once if nothing is unsent
 * @how: what to do when all is sent
 * @now: milliseconds of CLOCK_MONOTONIC
 */
void held_take(int fd, enum keep_how how, long long now);

/**
 * held_look() - look after the sockets whose time has come
 * @now: milliseconds of CLOCK_MONOTONIC
 *
 * Return: when to look again, -1 if none is left.
 */
long long held_look(long long now);

/** held_count() - how many there are */
int held_count(void);

/** held_is_full() - whether no more can be taken */
bool held_is_full(void);

/** held_drop() - give all of them up */
void held_drop(void);

/** held_was_interrupted - to be set by the handler of SIGALRM */
extern volatile sig_atomic_t held_was_interrupted;

/**
 * held_close() - close(2), never that of a preload library
 *
 * Of a socket that has sent all it takes as long as SMC-R waits for a slot, when a link breaks: 10
 * seconds at most (SMC_WR_TX_WAIT_FREE_SLOT_TIME in net/smc/smc_wr.c).
 */
void held_close(int fd);
