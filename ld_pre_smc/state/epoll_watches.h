/* SPDX-License-Identifier: MIT */
/* epoll instances that watch a file descriptor. */
#pragma once

#include <sys/epoll.h>

#pragma GCC visibility push(hidden)

#define SHIM_WATCHERS 8

/**
 * struct shim_watches - who watches a file descriptor, and for what
 * @fd: the watched one
 * @n: how many of @items; further watchers are lost
 */
struct shim_watches {
	int fd, n;
	struct {
		int epfd;
		struct epoll_event event;
	} items[SHIM_WATCHERS];
};

/**
 * shim_watches_find() - look up the instances of this process that watch @fd
 * @fresh: a socket that nobody watches
 *
 * Instances that a raw system call made are not known, see shim_fd_start() and epoll_create().
 * Events and data are in /proc/self/fdinfo, see proc_pid_fdinfo(5). Without /proc there are none.
 */
void shim_watches_find(struct shim_watches *watches, int fd, int fresh);

/* Have the same instances watch what is under that number now. */
void shim_watches_restore(struct shim_watches *watches);

#pragma GCC visibility pop
