// SPDX-License-Identifier: MIT
/* A file for another process. */
#include "sys/passfd.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Room for one descriptor: what comes with it too much is closed by the kernel. */
union control {
	struct cmsghdr header;
	char space[CMSG_SPACE(sizeof(int))];
};

int passfd_send(int to, int fd, unsigned char byte)
{
	union control control = { .space = { 0 } };
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof(control.space) };

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(to, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int passfd_receive(int from, unsigned char *byte)
{
	union control control;
	struct iovec data = { .iov_base = byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof(control.space) };
	ssize_t len = recvmsg(from, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	int fd;

	if (len <= 0 || !CMSG_FIRSTHDR(&message) || control.header.cmsg_type != SCM_RIGHTS ||
	    control.header.cmsg_len != CMSG_LEN(sizeof(fd)))
		return len < 0 ? -errno : -ENOMSG;
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}
