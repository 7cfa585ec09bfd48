// SPDX-License-Identifier: MIT
/* Where file descriptors come from that may be SMC sockets or epoll instances: see fds.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "ld_pre_smc/fds.h"
#include "ld_pre_smc/next.h"

/**
 * dup() - dup(2), of which close() learns
 *
 * Return: as dup(2).
 */
int dup(int from)
{
	int ret = next_dup(from);

	if (ret >= 0)
		shim_fd_copy(from, ret);
	return ret;
}

static int control(enum shim_fn fn, int fd, int command, va_list ap)
{
	void *arg = va_arg(ap, void *);
	int ret = ((int (*)(int, int, ...))shim_next(fn))(fd, command, arg);

	if (ret >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		shim_fd_copy(fd, ret);
	return ret;
}

/* Two names of one system call, which the headers redirect; on 32 bits they are different calls. */
int shim_fcntl(int fd, int command, ...) __asm__("fcntl");
int shim_fcntl64(int fd, int command, ...) __asm__("fcntl64");

/**
 * shim_fcntl() - fcntl(2), whose duplicates close() learns of
 *
 * Return: as fcntl(2).
 */
int shim_fcntl(int fd, int command, ...)
{
	va_list ap;
	int ret;

	va_start(ap, command);
	ret = control(SHIM_FCNTL, fd, command, ap);
	va_end(ap);
	return ret;
}

/** shim_fcntl64() - the same for programs with large files */
int shim_fcntl64(int fd, int command, ...)
{
	va_list ap;
	int ret;

	va_start(ap, command);
	ret = control(SHIM_FCNTL64, fd, command, ap);
	va_end(ap);
	return ret;
}

#if defined(__GLIBC__) && __SIZEOF_LONG__ == 4
extern __typeof__(shim_fcntl64) shim_fcntl_time64 __asm__("__fcntl_time64")
	__attribute__((alias("fcntl64")));
#endif

/* SCM_RIGHTS */
static void look_for_passed(struct msghdr *message)
{
	struct cmsghdr *header;
	const unsigned char *data;
	size_t n, i;
	int fd;

	if (!message->msg_controllen)
		return;
	for (header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		data = CMSG_DATA(header);
		n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(fd);
		for (i = 0; i < n; i++) {
			memcpy(&fd, data + i * sizeof(fd), sizeof(fd));
			shim_fd_unknown(fd);
		}
	}
}

/**
 * recvmsg() - recvmsg(2); close() learns of file descriptors that arrive
 *
 * Return: as recvmsg(2).
 */
ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t ret = next_recvmsg(fd, message, flags);

	if (ret >= 0)
		look_for_passed(message);
	return ret;
}

#ifdef __GLIBC__
typedef int message_flags;
#else
typedef unsigned int message_flags;
#endif

/**
 * recvmmsg() - recvmmsg(2), as recvmsg()
 *
 * Return: as recvmmsg(2).
 */
int recvmmsg(int fd, struct mmsghdr *messages, unsigned int n, message_flags flags,
	     struct timespec *timeout)
{
	int ret = next_recvmmsg(fd, messages, n, flags, timeout), i;

	for (i = 0; i < ret; i++)
		look_for_passed(&messages[i].msg_hdr);
	return ret;
}

int pidfd_getfd(int pidfd, int target, unsigned int flags);

/**
 * pidfd_getfd() - pidfd_getfd(2), whose file descriptor may be anything
 *
 * Return: as pidfd_getfd(2).
 */
int pidfd_getfd(int pidfd, int target, unsigned int flags)
{
	int ret = ((__typeof__(pidfd_getfd) *)shim_next(SHIM_PIDFD_GETFD))(pidfd, target, flags);

	if (ret >= 0)
		shim_fd_unknown(ret);
	return ret;
}

static int new_epoll(int fd)
{
	if (fd >= 0 && fd < SHIM_FD_NUMBERS && !shim_fd_is_set(FD_EPOLL, fd))
		shim_fd_set(FD_EPOLL, fd);
	return fd;
}

/**
 * epoll_create() - epoll_create(2), of which shim_unsent_close() learns
 *
 * Return: as epoll_create(2).
 */
int epoll_create(int size)
{
	return new_epoll(next_epoll_create(size));
}

/**
 * epoll_create1() - epoll_create1(2), as epoll_create()
 *
 * Return: as epoll_create1(2).
 */
int epoll_create1(int flags)
{
	return new_epoll(next_epoll_create1(flags));
}
