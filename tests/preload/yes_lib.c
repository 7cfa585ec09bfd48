// SPDX-License-Identifier: MIT
/*
 * Calls that succeed in a few instructions, so that the kernel is not counted: of socket(), and of
 * what reads and writes the descriptors that tests/preload/instructions.c uses. Others are the
 * files of the program that counts.
 */
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_fake(int fd)
{
	return fd == 8888 || fd == 9999;
}

int socket(int domain, int type, int protocol)
{
	return 9999;
}

ssize_t write(int fd, const void *data, size_t len)
{
	return is_fake(fd) ? (ssize_t)len : syscall(SYS_write, fd, data, len);
}

ssize_t read(int fd, void *data, size_t len)
{
	return is_fake(fd) ? (ssize_t)len : syscall(SYS_read, fd, data, len);
}

ssize_t send(int fd, const void *data, size_t len, int flags)
{
	return is_fake(fd) ? (ssize_t)len : syscall(SYS_sendto, fd, data, len, flags, NULL, 0);
}

ssize_t recv(int fd, void *data, size_t len, int flags)
{
	return is_fake(fd) ? (ssize_t)len : syscall(SYS_recvfrom, fd, data, len, flags, NULL, NULL);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	return is_fake(fd) ? (ssize_t)message->msg_iov->iov_len :
			     syscall(SYS_sendmsg, fd, message, flags);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	return is_fake(fd) ? (ssize_t)message->msg_iov->iov_len :
			     syscall(SYS_recvmsg, fd, message, flags);
}
