/* SPDX-License-Identifier: MIT */
/* The sockets that smc_keep holds. */
#pragma once

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

/** held_close() - close(2), never that of a preload library, and never for long */
void held_close(int fd);
