/* SPDX-License-Identifier: MIT */
/* Windows in which accept(2) on a blocking SMC listener does not wait. */
#pragma once

#include <stdbool.h>
#include <sys/time.h>

#pragma GCC visibility push(hidden)

/**
 * struct shim_window - a window, held by one caller at a time
 * @fd: the listener; @is_shared: other processes may have the listener
 * @stamp: identifies this caller; @cancel_state: of its thread
 * @time: SO_RCVTIMEO of the listener, as set by the program
 */
struct shim_window {
	int fd;
	bool is_shared;
	unsigned int stamp;
	int cancel_state;
	struct timeval time;
};

/**
 * shim_window_enter() - become the only caller that may check for a client without waiting
 * @window: with @fd and @is_shared
 * @tries: failed attempts so far; after 200 of them, a millisecond apart, it waits no longer for
 *	others
 *
 * A word of memory excludes other threads, a lock of fcntl(2) other processes that may share the
 * listener. A holder that died or jumped out delays others no longer; its thread cannot be
 * cancelled.
 * Return: true if the window may be opened; then shim_window_leave() must follow. Preserves errno.
 */
bool shim_window_enter(struct shim_window *window, int tries);

/** shim_window_leave() - let the next caller in. Preserves errno. */
void shim_window_leave(const struct shim_window *window);

/**
 * shim_window_open() - from now on, make accept(2) give up after one tick, with EAGAIN
 *
 * SO_RCVTIMEO is read when accept(2) begins, so earlier callers continue to wait, and unlike
 * O_NONBLOCK it does not affect poll(2), io_uring(7) and others. Calls that begin in the window see
 * shim_is_mark().
 */
void shim_window_open(struct shim_window *window);

/** shim_window_close() - restore SO_RCVTIMEO. Preserves errno. */
void shim_window_close(const struct shim_window *window);

/** shim_window_wait() - wait until no thread of this process has a window open for this listener */
void shim_window_wait(int fd);

/**
 * shim_window_time() - SO_RCVTIMEO of a listener, as set by the program
 * @time: all zero for none
 *
 * Removes a stale mark. Preserves errno.
 */
void shim_window_time(int fd, struct timeval *time);

/*
 * The largest mark: a tick of the slowest kernel. The library rounds up smaller values of programs.
 */
#define SHIM_MARK_MOST 10000

/* True if the time is that of an open window. */
static inline bool shim_is_mark(long long seconds, long long microseconds)
{
	return !seconds && microseconds > 0 && microseconds <= SHIM_MARK_MOST;
}

#pragma GCC visibility pop
