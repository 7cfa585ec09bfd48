// SPDX-License-Identifier: MIT
/*
 * read(2), recv(2) and their kin from SMC sockets.
 *
 * After a link has died, reads fail with ENOTCONN. Only SO_ERROR has the error.
 * recvmsg(2) and recvmmsg(2) also mark received descriptors for close().
 */
#include <errno.h>
#include <string.h>

#include "ld_pre_smc/calls/data.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/repair.h"

/* Return: TCP's result, after a call that returned @ret: 0, or negative with errno. */
static RARE ssize_t ended(int fd, size_t len, int flags, ssize_t ret)
{
	int cause;

	if (ret > 0 || (!ret && !len) ||
	    (ret < 0 && errno != ENOTCONN && errno != ECONNABORTED &&
	     (errno != EINVAL || !(flags & MSG_ERRQUEUE))))
		return ret;
	if (!shim_needs(REPAIR_READ_ERRORS) || !shim_marked_is_smc(fd))
		return ret;
	/* SMC has no error queue. Reads from a dead link, which has events, fail. */
	cause = ret < 0 && flags & MSG_ERRQUEUE ? EAGAIN :
						  shim_connection_error(fd, ret ? errno : 0);
	if (!cause && ret < 0 && shim_is_tcp_active(fd) && !shim_events(fd, 0))
		cause = EAGAIN;
	if (!cause || !shim_mends(fd, REPAIR_READ_ERRORS))
		return ret;
	errno = cause;
	return -1;
}

SMC_ONLY ssize_t read_smc(int fd, void *data, size_t len)
{
	KEEP2(fd, len);
	ssize_t ret = next_data(SHIM_READ, read)(fd, data, len);

	return ret > 0 ? ret : ended(kept_fd, kept_len, 0, ret);
}

/**
 * read() - read(2) with TCP's errors at the end of a connection
 *
 * Return: like read(2). The functions below do the same for their calls.
 */
DOOR(ssize_t, read, SHIM_READ, (int fd, void *data, size_t len), (fd, data, len))

SMC_ONLY ssize_t recv_smc(int fd, void *data, size_t len, int flags)
{
	KEEP3(fd, len, flags);
	ssize_t ret = next_data(SHIM_RECV, recv)(fd, data, len, flags);

	return ret > 0 ? ret : ended(kept_fd, kept_len, kept_flags, ret);
}

DOOR(ssize_t, recv, SHIM_RECV, (int fd, void *data, size_t len, int flags), (fd, data, len, flags))

SMC_ONLY ssize_t recvfrom_smc(int fd, void *data, size_t len, int flags, struct sockaddr *from,
			      socklen_t *n)
{
	KEEP3(fd, len, flags);
	ssize_t ret = next_data(SHIM_RECVFROM, recvfrom)(fd, data, len, flags, from, n);

	return ret > 0 ? ret : ended(kept_fd, kept_len, kept_flags, ret);
}

DOOR(ssize_t, recvfrom, SHIM_RECVFROM,
     (int fd, void *data, size_t len, int flags, struct sockaddr *from, socklen_t *n),
     (fd, data, len, flags, from, n))

/*
 * Like libc's, these fortified forms end the program if @len is too large for the memory. Headers
 * of glibc do not declare them everywhere.
 */
#define FORTIFIED(name, fn, plain, plain_fn, parameters, arguments, plain_arguments)               \
	ssize_t name parameters;                                                                   \
	ssize_t name parameters                                                                    \
	{                                                                                          \
		if (len > size)                                                                    \
			return ((__typeof__(name) *)shim_next(fn))arguments;                       \
		return shim_fd_may_be_smc(fd) ? plain##_smc plain_arguments :                      \
						next_data(plain_fn, plain) plain_arguments;        \
	}
FORTIFIED(__read_chk, SHIM_READ_CHK, read, SHIM_READ, (int fd, void *data, size_t len, size_t size),
	  (fd, data, len, size), (fd, data, len))
FORTIFIED(__recv_chk, SHIM_RECV_CHK, recv, SHIM_RECV,
	  (int fd, void *data, size_t len, size_t size, int flags), (fd, data, len, size, flags),
	  (fd, data, len, flags))
FORTIFIED(__recvfrom_chk, SHIM_RECVFROM_CHK, recvfrom, SHIM_RECVFROM,
	  (int fd, void *data, size_t len, size_t size, int flags, struct sockaddr *from,
	   socklen_t *n),
	  (fd, data, len, size, flags, from, n), (fd, data, len, flags, from, n))

/* The kernel has read @parts, unless the call failed. preadv2(2) has no flag like MSG_ERRQUEUE. */
static RARE ssize_t ended_parts(int fd, const struct iovec *parts, int n, int flags, ssize_t ret)
{
	return ended(fd, ret ? 1 : shim_sum(parts, (size_t)n), flags, ret);
}

SMC_ONLY ssize_t readv_smc(int fd, const struct iovec *parts, int n)
{
	KEEP3(fd, parts, n);
	ssize_t ret = next_data(SHIM_READV, readv)(fd, parts, n);

	return ret > 0 ? ret : ended_parts(kept_fd, kept_parts, kept_n, 0, ret);
}

DOOR(ssize_t, readv, SHIM_READV, (int fd, const struct iovec *parts, int n), (fd, parts, n))

PARTS_AT(preadv2, SHIM_PREADV2, long, ended_parts)
PARTS_AT(preadv64v2, SHIM_PREADV64V2, long long, ended_parts)

/* After SCM_RIGHTS. Return: @ret, so that the caller need not keep it. */
static RARE ssize_t mark_passed(struct msghdr *message, ssize_t ret)
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
	return ret;
}

/* @message is valid, unless the call failed. */
static inline ssize_t look_for_passed(struct msghdr *message, ssize_t ret)
{
	return ret >= 0 && message->msg_controllen ? mark_passed(message, ret) : ret;
}

static RARE ssize_t ended_message(int fd, struct msghdr *message, int flags, ssize_t ret)
{
	return ret < 0 ? ended(fd, 1, flags, ret) :
			 ended_parts(fd, message->msg_iov, (int)message->msg_iovlen, flags,
				     look_for_passed(message, ret));
}

SMC_ONLY ssize_t recvmsg_smc(int fd, struct msghdr *message, int flags)
{
	KEEP3(fd, message, flags);
	ssize_t ret = next_data(SHIM_RECVMSG, recvmsg)(fd, message, flags);

	if (ret > 0 && !kept_message->msg_controllen)
		return ret;
	return ended_message(kept_fd, kept_message, kept_flags, ret);
}

/**
 * recvmsg() - recvmsg(2) that also marks received descriptors for close()
 *
 * Return: like recvmsg(2).
 */
ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	KEEP(message);
	ssize_t ret;

	if (shim_fd_may_be_smc(fd))
		return recvmsg_smc(fd, message, flags);
	ret = next_data(SHIM_RECVMSG, recvmsg)(fd, message, flags);
	return look_for_passed(kept_message, ret);
}

/**
 * recvmmsg() - recvmmsg(2), like recvmsg()
 *
 * TCP reports an error by the first message only.
 * Return: like recvmmsg(2).
 */
int recvmmsg(int fd, struct mmsghdr *messages, unsigned int n, message_flags flags,
	     struct timespec *timeout)
{
	int ret = next_data(SHIM_RECVMMSG, recvmmsg)(fd, messages, n, flags, timeout), i;

	for (i = 0; i < ret; i++)
		look_for_passed(&messages[i].msg_hdr, 1);
	if (!shim_fd_may_be_smc(fd) || !ret || (ret > 0 && messages->msg_len))
		return ret;
	return ended_message(fd, &messages->msg_hdr, (int)flags, MIN(ret, 0)) < 0 ? -1 : ret;
}

#ifdef __GLIBC__
/* Second name, which old programs use. */
extern __typeof__(read) shim_read_too __asm__("__read") __attribute__((alias("read")));
#endif
SHIM_TIME64(recvmsg, __recvmsg64);
