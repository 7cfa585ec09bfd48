// SPDX-License-Identifier: MIT
/*
 * read(2), recv(2) and their kin from SMC sockets.
 *
 * After a reset, the kernel ends the stream as if the peer had closed it; after a link has died,
 * reads fail with ENOTCONN: see smc_recvmsg(). Only SO_ERROR has the error.
 * recvmsg(2) and recvmmsg(2) also mark received descriptors for close().
 */
#include <errno.h>
#include <string.h>

#include "ld_pre_smc/calls/data.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_table.h"

/* Fortified forms, which glibc's headers do not declare everywhere. */
ssize_t __read_chk(int fd, void *data, size_t len, size_t size);
ssize_t __recv_chk(int fd, void *data, size_t len, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void *data, size_t len, size_t size, int flags,
		       struct sockaddr *from, socklen_t *n);

/* Return: as TCP's, after a call that returned @ret: 0, or negative with errno. */
static __attribute__((noinline)) ssize_t ended(int fd, int flags, ssize_t ret)
{
	int cause;

	if (ret < 0 && errno != ENOTCONN && (errno != EINVAL || !(flags & MSG_ERRQUEUE)))
		return ret;
	if (!shim_repairs() || !shim_marked_is_smc(fd))
		return ret;
	/* SMC has no such queue: it is empty. Reads from a dead link, which has events, fail. */
	cause = ret < 0 && flags & MSG_ERRQUEUE ? EAGAIN : shim_connection_error(fd);
	if (!cause && ret < 0 && shim_is_tcp_active(fd) && !shim_events(fd, 0))
		cause = EAGAIN;
	if (!cause)
		return ret;
	errno = cause;
	return -1;
}

static ssize_t end(int fd, size_t len, int flags, ssize_t ret)
{
	return ret > 0 || (!ret && !len) ? ret : ended(fd, flags, ret);
}

SMC_ONLY ssize_t read_smc(int fd, void *data, size_t len)
{
	return end(fd, len, 0, next_data(SHIM_READ, read)(fd, data, len));
}

/**
 * read() - read(2) with TCP's errors at the end of a connection
 *
 * Return: as read(2). The functions below do the same for their calls.
 */
ssize_t read(int fd, void *data, size_t len)
{
	return shim_fd_may_be_smc(fd) ? read_smc(fd, data, len) :
					next_data(SHIM_READ, read)(fd, data, len);
}

SMC_ONLY ssize_t recv_smc(int fd, void *data, size_t len, int flags)
{
	return end(fd, len, flags, next_data(SHIM_RECV, recv)(fd, data, len, flags));
}

ssize_t recv(int fd, void *data, size_t len, int flags)
{
	return shim_fd_may_be_smc(fd) ? recv_smc(fd, data, len, flags) :
					next_data(SHIM_RECV, recv)(fd, data, len, flags);
}

SMC_ONLY ssize_t recvfrom_smc(int fd, void *data, size_t len, int flags, struct sockaddr *from,
			      socklen_t *n)
{
	return end(fd, len, flags,
		   next_data(SHIM_RECVFROM, recvfrom)(fd, data, len, flags, from, n));
}

ssize_t recvfrom(int fd, void *data, size_t len, int flags, struct sockaddr *from, socklen_t *n)
{
	return shim_fd_may_be_smc(fd) ?
		       recvfrom_smc(fd, data, len, flags, from, n) :
		       next_data(SHIM_RECVFROM, recvfrom)(fd, data, len, flags, from, n);
}

/* Fortified forms end the program if @len is too large for the memory. */
ssize_t __read_chk(int fd, void *data, size_t len, size_t size)
{
	return shim_fd_may_be_smc(fd) && len <= size ?
		       read_smc(fd, data, len) :
		       next_data(SHIM_READ_CHK, __read_chk)(fd, data, len, size);
}

ssize_t __recv_chk(int fd, void *data, size_t len, size_t size, int flags)
{
	return shim_fd_may_be_smc(fd) && len <= size ?
		       recv_smc(fd, data, len, flags) :
		       next_data(SHIM_RECV_CHK, __recv_chk)(fd, data, len, size, flags);
}

ssize_t __recvfrom_chk(int fd, void *data, size_t len, size_t size, int flags,
		       struct sockaddr *from, socklen_t *n)
{
	return shim_fd_may_be_smc(fd) && len <= size ? recvfrom_smc(fd, data, len, flags, from, n) :
						       next_data(SHIM_RECVFROM_CHK, __recvfrom_chk)(
							       fd, data, len, size, flags, from, n);
}

/* The kernel has read @parts, unless the call failed. */
static ssize_t end_parts(int fd, const struct iovec *parts, size_t n, int flags, ssize_t ret)
{
	return end(fd, ret ? 0 : shim_size(parts, n), flags, ret);
}

SMC_ONLY ssize_t readv_smc(int fd, const struct iovec *parts, int n)
{
	return end_parts(fd, parts, (size_t)n, 0, next_data(SHIM_READV, readv)(fd, parts, n));
}

ssize_t readv(int fd, const struct iovec *parts, int n)
{
	return shim_fd_may_be_smc(fd) ? readv_smc(fd, parts, n) :
					next_data(SHIM_READV, readv)(fd, parts, n);
}

/* Headers may redirect preadv2() to preadv64v2(); on 32-bit machines their positions differ. */
ssize_t shim_preadv2(int fd, const struct iovec *parts, int n, long pos,
		     int flags) __asm__("preadv2");
ssize_t shim_preadv64v2(int fd, const struct iovec *parts, int n, long long pos,
			int flags) __asm__("preadv64v2");

ssize_t shim_preadv2(int fd, const struct iovec *parts, int n, long pos, int flags)
{
	__typeof__(&shim_preadv2) next = next_data(SHIM_PREADV2, shim_preadv2);

	return shim_fd_may_be_smc(fd) ?
		       end_parts(fd, parts, (size_t)n, 0, next(fd, parts, n, pos, flags)) :
		       next(fd, parts, n, pos, flags);
}

ssize_t shim_preadv64v2(int fd, const struct iovec *parts, int n, long long pos, int flags)
{
	__typeof__(&shim_preadv64v2) next = next_data(SHIM_PREADV64V2, shim_preadv64v2);

	return shim_fd_may_be_smc(fd) ?
		       end_parts(fd, parts, (size_t)n, 0, next(fd, parts, n, pos, flags)) :
		       next(fd, parts, n, pos, flags);
}

/* SCM_RIGHTS */
static __attribute__((noinline)) void mark_passed(struct msghdr *message)
{
	struct cmsghdr *header;
	const unsigned char *data;
	size_t n, i;
	int fd;

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

static void look_for_passed(struct msghdr *message)
{
	if (message->msg_controllen)
		mark_passed(message);
}

SMC_ONLY ssize_t recvmsg_smc(int fd, struct msghdr *message, int flags)
{
	ssize_t ret = next_data(SHIM_RECVMSG, recvmsg)(fd, message, flags);

	if (ret < 0)
		return ended(fd, flags, ret);
	look_for_passed(message);
	return end_parts(fd, message->msg_iov, message->msg_iovlen, flags, ret);
}

/**
 * recvmsg() - recvmsg(2) that also marks received descriptors for close()
 *
 * Return: as recvmsg(2).
 */
ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t ret;

	if (shim_fd_may_be_smc(fd))
		return recvmsg_smc(fd, message, flags);
	ret = next_data(SHIM_RECVMSG, recvmsg)(fd, message, flags);
	if (ret >= 0)
		look_for_passed(message);
	return ret;
}

/**
 * recvmmsg() - recvmmsg(2), as recvmsg()
 *
 * TCP reports an error by the first message only.
 *
 * Return: as recvmmsg(2).
 */
int recvmmsg(int fd, struct mmsghdr *messages, unsigned int n, message_flags flags,
	     struct timespec *timeout)
{
	int ret = next_data(SHIM_RECVMMSG, recvmmsg)(fd, messages, n, flags, timeout), i;
	ssize_t first;

	for (i = 0; i < ret; i++)
		look_for_passed(&messages[i].msg_hdr);
	if (!shim_fd_may_be_smc(fd) || !ret || (ret > 0 && messages->msg_len))
		return ret;
	first = ret < 0 ? ended(fd, (int)flags, ret) :
			  end_parts(fd, messages->msg_hdr.msg_iov, messages->msg_hdr.msg_iovlen, 0,
				    0);
	return first < 0 ? -1 : ret;
}

#ifdef __GLIBC__
/* Second name, which old programs use. */
extern __typeof__(read) shim_read_too __asm__("__read") __attribute__((alias("read")));
#endif
SHIM_TIME64(recvmsg, __recvmsg64);
