/* SPDX-License-Identifier: MIT */
/* epoll instances that watch a file descriptor. */
#pragma once

#include <sys/epoll.h>

#pragma GCC visibility push(hidden)

#define SHIM_WATCHERS 8

/**
 * struct shim_watches - epoll instances that watch a descriptor, and their events
 * @fd: the watched descriptor
 * @n: number of @items; further watches are lost
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
 * @fresh: a socket that is not watched
 *
 * Instances created by raw system calls are unknown, see shim_fd_start() and epoll_create(). Events
 * and data are read from /proc/self/fdinfo, see proc_pid_fdinfo(5). Without /proc there are none.
 */
void shim_watches_find(struct shim_watches *watches, int fd, int fresh);

/* Make the same instances watch the file that now has this number. */
void shim_watches_restore(struct shim_watches *watches);

#pragma GCC visibility pop
