/* SPDX-License-Identifier: MIT */
/* Moments in which accept(2) on a blocking SMC listener does not wait. */
#pragma once

#include <stdbool.h>
#include <sys/time.h>

#pragma GCC visibility push(hidden)

/**
 * struct shim_window - such a moment, of one caller at a time
 * @fd: the listener
 * @is_shared: whether other processes may have it
 * @stamp: what tells this caller from others
 * @time: SO_RCVTIMEO of the listener, as the program wants it
 */
struct shim_window {
	int fd;
	bool is_shared;
	unsigned int stamp;
	struct timeval time;
};

/**
 * shim_window_enter() - be the only one that is told at once whether anybody is there
 * @tries: how often that failed; after 200 times, a millisecond apart, others are no longer waited
 *	for
 *
 * Threads are kept apart by a word of memory, processes that may share the listener by a lock of
 * fcntl(2). Who died or jumped out with either does not hold others up for longer than that.
 *
 * Return: whether it may be opened; if so, shim_window_leave() must follow. Leaves errno as it was.
 */
bool shim_window_enter(struct shim_window *window, int fd, int tries);

/** shim_window_leave() - let the next one in. Leaves errno as it was. */
void shim_window_leave(const struct shim_window *window);

/**
 * shim_window_open() - from here on accept(2) gives up after one tick, with EAGAIN
 *
 * SO_RCVTIMEO is read when accept(2) begins, so callers that wait already go on waiting, and unlike
 * O_NONBLOCK it does not change what poll(2), io_uring(7) and others do. Who begins meanwhile sees
 * shim_is_mark().
 */
void shim_window_open(struct shim_window *window);

/** shim_window_close() - SO_RCVTIMEO as it was. Leaves errno as it was. */
void shim_window_close(const struct shim_window *window);

/** shim_window_wait() - until no thread of this process has opened one for this listener */
void shim_window_wait(int fd);

/**
 * shim_window_time() - SO_RCVTIMEO of a listener, as the program wants it
 * @time: all zero for none
 *
 * A mark that nobody stands behind any more is removed. Leaves errno as it was.
 */
void shim_window_time(int fd, struct timeval *time);

/* The largest mark: a tick of the slowest kernel. The library lets no program set less. */
#define SHIM_MARK_MOST 10000

/* Whether a time is that of an open window. */
static inline bool shim_is_mark(long long seconds, long long microseconds)
{
	return !seconds && microseconds > 0 && microseconds <= SHIM_MARK_MOST;
}

#pragma GCC visibility pop
