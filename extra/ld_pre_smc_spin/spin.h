/* SPDX-License-Identifier: MIT */
/* Look for input for some microseconds before a call sleeps. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#pragma GCC visibility push(hidden)

/*
 * spin_input() receives nothing: it returns as soon as there may be input, or when the time is
 * over. The caller then makes the program's own call, unchanged, so the kernel handles O_NONBLOCK,
 * MSG_WAITALL, timeouts, cancellation and errors. The other functions return what the kernel
 * reported, because some files report an event only once. A call may exceed its timeout by up to
 * SMC_SPIN microseconds; timers of the kernel do this, too: the default of PR_SET_TIMERSLACK is 50.
 *
 * All preserve errno.
 */

/* Kinds of waiting calls, by the input for which they look. */
enum spin_kind { SPIN_RECV, SPIN_POLL, SPIN_EPOLL, SPIN_KINDS };

/**
 * spin_input() - before recv(2) and read(2) of a descriptor, which may be any file
 * @is_all: with MSG_WAITALL
 *
 * Return: true if a signal handler ran that ends the call, which must then fail with EINTR.
 */
bool spin_input(int fd, bool is_all);

/**
 * spin_poll() - before poll(2)
 * @fds: memory of the program, which may be invalid
 * @usec: maximum wait of the program, in microseconds; negative: for ever; 0 also for a
 *	time that the kernel refuses
 * @sigmask: signals that are blocked during the call, which may be invalid memory; NULL: those that
 *	are blocked now
 *
 * Return: the result of the call, if it is positive; 0 if the call is to be made; negative if it
 * must fail with EINTR.
 */
int spin_poll(struct pollfd *fds, nfds_t n, long long usec, const void *sigmask);

/** spin_epoll() - before epoll_wait(2), like spin_poll() */
int spin_epoll(int epfd, struct epoll_event *events, int n, long long usec, const void *sigmask);

/* When the present call of this thread began to wait; 0 if nobody needs to know. */
extern _Thread_local long long spin_since __attribute__((tls_model("initial-exec")));

/** spin_measure() - adapt to a wait in which spinning found nothing */
void spin_measure(void);

/* After each call. Keeps errno. */
static inline void spin_ended(void)
{
	if (spin_since)
		spin_measure();
}

/** spin_new() - @fd is a new connection; negative numbers are ignored */
void spin_new(int fd);

/** spin_watch() - epoll_ctl(2) has added @fd to @epfd */
void spin_watch(int epfd, int fd);

/** spin_watch_new() - @epfd is a new epoll instance. Return: the same */
int spin_watch_new(int epfd);

/* True if spin_poll() may spin. Saves callers from preparing its arguments in vain. */
bool spin_is_on(void);

/** spin_is_due() - true if spin_poll() of this array would look now; else counts the call */
bool spin_is_due(struct pollfd *fds, long long usec);

/** spin_is_readable() - true if memory can be read; @size: at least 8, on at most two pages */
bool spin_is_readable(const void *memory, size_t size);

#pragma GCC visibility pop
