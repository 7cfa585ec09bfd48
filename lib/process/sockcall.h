/* SPDX-License-Identifier: MIT */
/*
 * The socket(2) of other processes, answered by this one: seccomp user notification. Only calls for
 * TCP sockets are asked about, and nothing else of those processes becomes slower.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/target.h"

/**
 * struct sockcall - a thread that waits for its TCP socket
 * @id: of the question
 * @pid: the thread's number here, 0 if this process cannot see it
 * @is_v6: AF_INET6 rather than AF_INET
 * @flags: SOCK_NONBLOCK, SOCK_CLOEXEC, or-ed
 */
struct sockcall {
	uint64_t id;
	pid_t pid;
	bool is_v6;
	int flags;
};

/**
 * sockcall_missing() - what this kernel lacks for that, in words; NULL for nothing
 *
 * Linux 5.14 has it all. Found out by a child process, as a filter cannot be taken back.
 */
const char *sockcall_missing(void);

/** sockcall_misses() - why calls of a program are not, or better not, seen; NULL if they are */
const char *sockcall_misses(const struct target *target);

/**
 * sockcall_listen() - this thread, and all it starts, ask for their TCP sockets from now on
 *
 * Sets PR_SET_NO_NEW_PRIVS where the kernel demands it: without CAP_SYS_ADMIN. Nothing of it can be
 * taken back: when the listener has been closed everywhere, the calls fail with ENOSYS.
 *
 * Return: a listener, closed by exec, which polls POLLHUP when all who could ask have ended;
 * -EBUSY if another one answers calls of this process already; another -errno.
 */
int sockcall_listen(void);

/** sockcall_receive() - wait for a question. Return: 0; -ENOENT, -EINTR: try again; -errno */
int sockcall_receive(int listener, struct sockcall *call);

/**
 * sockcall_give() - answer with a file, which stays open here
 *
 * Return: 0; -ENOENT: the program has gone, or a signal ended its wait; another -errno of its side,
 * such as -EMFILE, and then it still waits for an answer.
 */
int sockcall_give(int listener, const struct sockcall *call, int fd);

/** sockcall_fail() - answer with an error; @code: 0 for whatever the kernel itself would do */
void sockcall_fail(int listener, const struct sockcall *call, int code);
