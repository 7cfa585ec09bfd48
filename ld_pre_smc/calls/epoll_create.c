// SPDX-License-Identifier: MIT
/* epoll_create(2): mark instances, which may watch sockets. */
#include <sys/epoll.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/fd_table.h"

static int new_epoll(int fd)
{
	shim_fd_set(FD_EPOLL, fd);
	return fd;
}

/** epoll_create() - epoll_create(2) that marks the instance for shim_unsent_close() */
int epoll_create(int size)
{
	return new_epoll(next_epoll_create(size));
}

/** epoll_create1() - epoll_create1(2), like epoll_create() */
int epoll_create1(int flags)
{
	return new_epoll(next_epoll_create1(flags));
}
