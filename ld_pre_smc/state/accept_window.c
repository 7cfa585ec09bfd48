// SPDX-License-Identifier: MIT
/* Windows in which accept(2) on a blocking SMC listener does not wait. */
#include "ld_pre_smc/state/accept_window.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/options.h"
#include "process/sockopt_numbers.h"

/* Number of slots. Listeners whose descriptors are equal modulo this share one. */
#define SLOTS 64

/* Milliseconds. A window is open for about a tick, 10 ms at most. */
#define PATIENCE 200

/* Time when the window was entered, 0 if nobody is in it. */
static atomic_uint slots[SLOTS];

static atomic_uint *slot_of(int fd)
{
	return &slots[(unsigned int)fd % SLOTS];
}

static unsigned int stamp(void)
{
	return (unsigned int)shim_milliseconds() | 1;
}

/* True if the holder's thread left, by a jump out of a signal handler or by fork(2). */
static bool is_stale(unsigned int held, unsigned int now)
{
	return held && (int)(now - held) > PATIENCE;
}

/* Excludes the other threads of this process. */
static bool take_slot(struct shim_window *window)
{
	unsigned int held = 0;

	window->stamp = stamp();
	return atomic_compare_exchange_strong(slot_of(window->fd), &held, window->stamp) ||
	       (is_stale(held, window->stamp) &&
		atomic_compare_exchange_strong(slot_of(window->fd), &held, window->stamp));
}

static void give_slot(const struct shim_window *window)
{
	unsigned int mine = window->stamp;

	atomic_compare_exchange_strong(slot_of(window->fd), &mine, 0);
}

/* Excludes other processes with this listener. Without support for locks, continue. */
static bool lock(int fd)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_SETLK, &all) || errno != EAGAIN;
}

bool shim_window_enter(struct shim_window *window, int tries)
{
	AUTO_ERRNO();
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &window->cancel_state);
	if (take_slot(window)) {
		if (!window->is_shared || lock(window->fd) || tries >= PATIENCE)
			return true;
		give_slot(window);
	}
	pthread_setcancelstate(window->cancel_state, &state);
	return false;
}

void shim_window_leave(const struct shim_window *window)
{
	struct flock all = { .l_type = F_UNLCK, .l_whence = SEEK_SET };
	AUTO_ERRNO();
	int state;

	if (window->is_shared)
		fcntl(window->fd, F_SETLK, &all);
	give_slot(window);
	pthread_setcancelstate(window->cancel_state, &state);
}

/* Get SO_RCVTIMEO; all zero if there is none, or if it is a stale mark. */
static void get_time(int fd, struct timeval *time)
{
	socklen_t len = sizeof(*time);

	if (next_getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, time, &len))
		*time = (struct timeval){ 0 };
}

void shim_window_open(struct shim_window *window)
{
	static const struct timeval mark = { .tv_usec = 1 };

	if (window->is_shared || shim_option_was_set(SOL_SOCKET, SO_RCVTIMEO))
		get_time(window->fd, &window->time);
	/* This marker is the remains of a holder that died within its window. */
	if (shim_is_mark(window->time.tv_sec, window->time.tv_usec))
		window->time = (struct timeval){ 0 };
	next_setsockopt(window->fd, SOL_SOCKET, SO_RCVTIMEO, &mark, sizeof(mark));
}

void shim_window_close(const struct shim_window *window)
{
	AUTO_ERRNO();

	next_setsockopt(window->fd, SOL_SOCKET, SO_RCVTIMEO, &window->time, sizeof(window->time));
}

void shim_window_wait(int fd)
{
	unsigned int held;

	while ((held = atomic_load(slot_of(fd))) && !is_stale(held, stamp()))
		shim_nap();
}

void shim_window_time(int fd, struct timeval *time)
{
	struct shim_window window = { .fd = fd, .is_shared = !shim_fd_is_own(fd) };
	int tries = 0;
	AUTO_ERRNO();

	get_time(fd, time);
	if (shim_is_mark(time->tv_sec, time->tv_usec)) {
		while (!shim_window_enter(&window, tries++))
			shim_nap();
		shim_window_open(&window);
		shim_window_close(&window);
		shim_window_leave(&window);
		*time = window.time;
	}
}
