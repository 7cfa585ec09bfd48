/* SPDX-License-Identifier: MIT */
/* For test programs that count system calls, or answer those of others. */
#pragma once

#include <sys/ptrace.h>

#include "tests/libc.h"

/** next_call() - continue a traced process until its next system call; false if it has ended */
static inline bool next_call(pid_t pid, struct __ptrace_syscall_info *info)
{
	int status;

	do {
		if (ptrace(PTRACE_SYSCALL, pid, 0, 0) || waitpid(pid, &status, 0) != pid ||
		    !WIFSTOPPED(status) ||
		    ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(*info), info) <= 0)
			return false;
	} while (info->op != PTRACE_SYSCALL_INFO_ENTRY);
	return true;
}

/** get_args() - the arguments of the program's own syscall(2) */
static inline void get_args(long args[6], va_list ap)
{
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(ap, long);
}

/** libc_call() - syscall(2) of libc */
static inline long libc_call(long number, const long args[6])
{
	static long (*next)(long number, ...);

	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return next(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

/** pass_fds() - send descriptors over a local socket, or receive them. Return: as sendmsg(2) */
static inline ssize_t pass_fds(int sock, bool is_sent, char byte, int *fds, size_t count)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(8 * sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(count * sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = CMSG_SPACE(count * sizeof(int)) };
	ssize_t ret;

	memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	ret = is_sent ? sendmsg(sock, &message, MSG_NOSIGNAL) : recvmsg(sock, &message, 0);
	memcpy(fds, CMSG_DATA(&control.header), count * sizeof(int));
	return ret;
}

/** count_below() - read a counter of tests/preload/mimic_lib.c; -1 without that library */
static inline int count_below(const char *name)
{
	const int *count = dlsym(RTLD_DEFAULT, name);

	return count ? *count : -1;
}
