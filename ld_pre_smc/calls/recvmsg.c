// SPDX-License-Identifier: MIT
/* recvmsg(2) and pidfd_getfd(2), which receive descriptors of other processes. */
#include <string.h>
#include <sys/socket.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/fd_table.h"

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
 * recvmsg() - recvmsg(2) that marks received descriptors for close()
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
 * pidfd_getfd() - pidfd_getfd(2); its descriptor may be of any type
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
