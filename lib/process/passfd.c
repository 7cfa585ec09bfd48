// SPDX-License-Identifier: MIT
#include "process/passfd.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* CMSG_SPACE() is rounded up, which would leave room for one more. */
#define ROOM CMSG_LEN(PASSFD_MOST * sizeof(int))

union control {
	struct cmsghdr header;
	char space[CMSG_SPACE(PASSFD_MOST * sizeof(int))];
};

int passfd_send(int to, int fd, unsigned char byte)
{
	union control control = { .space = { 0 } };
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = CMSG_SPACE(sizeof(fd)) };

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(to, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Copy all descriptors of a message to @fds, whose size matches ROOM. */
static int find_fds(struct msghdr *message, int *fds)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	size_t len;
	int n = 0;

	for (; header; header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		len = header->cmsg_len - CMSG_LEN(0);
		memcpy(fds + n, CMSG_DATA(header), len);
		n += (int)(len / sizeof(int));
	}
	return n;
}

int passfd_receive(int from, unsigned char *byte, int *fds, int n)
{
	union control control;
	struct iovec data = { .iov_base = byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = ROOM
	};
	ssize_t len = recvmsg(from, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	int found[PASSFD_MOST], got;

	if (len < 0)
		return -errno;
	got = find_fds(&message, found);
	if (len == 1 && got == n && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		memcpy(fds, found, (size_t)n * sizeof(int));
		return 0;
	}
	while (got)
		syscall(SYS_close, found[--got]);
	return -ENOMSG;
}
