/* SPDX-License-Identifier: MIT */
/*
 * Answer socket(2) and setsockopt(2) of other processes in this one, by seccomp user notification.
 * Only calls for TCP and MPTCP sockets and for the options of tcpguard.h are notified; other system
 * calls do not become slower.
 */
#pragma once

#include "process/target.h"

/**
 * struct sockcall - a thread that waits for its TCP socket, or for the result of setsockopt(2)
 * @id: of the request
 * @pid: the thread's number in this PID namespace, 0 if it is not visible
 * @is_option: setsockopt(2) of an option in tcpguard.h, for any socket
 * @is_v6: AF_INET6 rather than AF_INET
 * @is_mptcp: IPPROTO_MPTCP rather than TCP
 * @is_own: called by the program's own code, as by Go's, rather than by a library
 * @flags: SOCK_NONBLOCK, SOCK_CLOEXEC, or-ed
 */
struct sockcall {
	uint64_t id;
	pid_t pid;
	bool is_option, is_v6, is_mptcp, is_own;
	int flags;
};

/**
 * sockcall_missing() - kernel feature that is missing to intercept calls, in words; NULL for none
 *
 * Linux 5.14 has all. Tested in a child process, as a filter cannot be removed.
 */
const char *sockcall_missing(void);

/** sockcall_misses() - reason not to intercept calls of a program; NULL for none */
const char *sockcall_misses(const struct target *target);

/**
 * sockcall_listen() - install the filter in this thread, for its TCP sockets and its children's
 *
 * Sets PR_SET_NO_NEW_PRIVS if the kernel requires it, that is, without CAP_SYS_ADMIN. Cannot be
 * undone: after the last copy of the listener is closed, the calls fail with ENOSYS.
 *
 * Return: a listener with O_CLOEXEC, which polls POLLHUP after all filtered processes have ended;
 * -EBUSY if another listener serves this process already; another -errno.
 */
int sockcall_listen(void);

/** sockcall_receive() - wait for a request. Return: 0; -ENOENT, -EINTR: try again; -errno */
int sockcall_receive(int listener, struct sockcall *call);

/**
 * sockcall_give() - answer with a file, which stays open here
 *
 * Return: 0; -ENOENT: the program has ended, or a signal ended its wait; another -errno of the
 * program, such as -EMFILE, after which it still waits for an answer.
 */
int sockcall_give(int listener, const struct sockcall *call, int fd);

/** sockcall_fail() - answer with an error; @code: 0 to let the kernel run the call itself */
void sockcall_fail(int listener, const struct sockcall *call, int code);
