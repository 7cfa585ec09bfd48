/* SPDX-License-Identifier: MIT */
/* Each call that writes to a stream socket or reads from one, as send() or recv(). */
#pragma once

#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "tests/libc.h"

/* Most bytes of a call by splice(). */
#define PIPE_SIZE 65536

/* Flags apply to those before OUT_FLAGS and IN_FLAGS. Those before OUT_COPIES need no file. */
enum {
	OUT_SEND,
	OUT_SENDTO,
	OUT_SENDMSG,
	OUT_SENDMMSG,
	OUT_WRITE,
	OUT_WRITEV,
	OUT_PWRITEV2,
	OUT_SENDFILE,
	OUT_SPLICE,
	OUTS,
	OUT_FLAGS = OUT_WRITE,
	OUT_COPIES = OUT_SENDFILE
};

enum {
	IN_RECV,
	IN_RECVFROM,
	IN_RECVMSG,
	IN_RECVMMSG,
	IN_READ,
	IN_READV,
	IN_PREADV2,
	IN_SPLICE,
	INS,
	IN_FLAGS = IN_READ,
	IN_COPIES = IN_SPLICE
};

static const char *const outs[] = { "send",   "sendto",	  "sendmsg",  "sendmmsg", "write",
				    "writev", "pwritev2", "sendfile", "splice" };
static const char *const ins[] = { "recv", "recvfrom", "recvmsg", "recvmmsg",
				   "read", "readv",    "preadv2", "splice" };

#ifndef __GLIBC__
#define pwritev2(fd, parts, n, pos, flags) writev(fd, parts, n)
#define preadv2(fd, parts, n, pos, flags) readv(fd, parts, n)
#endif

/* Messages of half the bytes each; a single byte is one message. Return: their bytes */
static inline ssize_t write_messages(int fd, char *data, size_t len, int flags)
{
	struct iovec parts[] = { { data, len / 2 }, { data + len / 2, len - len / 2 } };
	struct mmsghdr msgs[] = { { .msg_hdr = { .msg_iov = &parts[0], .msg_iovlen = 1 } },
				  { .msg_hdr = { .msg_iov = &parts[1], .msg_iovlen = 1 } } };
	unsigned int first = len < 2;
	int n = sendmmsg(fd, msgs + first, 2 - first, flags);
	ssize_t total = n < 0 ? -1 : 0;

	while (n-- > 0)
		total += msgs[first++].msg_len;
	return total;
}

/* A file or a pipe with the data, at its start. */
static inline ssize_t write_file(int way, int fd, char *data, size_t len)
{
	int ends[2], err;
	ssize_t n;

	if (way == OUT_SPLICE ? pipe(ends) : (ends[0] = ends[1] = memfd_create("data", 0)) < 0)
		return -1;
	n = write(ends[1], data, len);
	if (n == (ssize_t)len && way == OUT_SPLICE)
		n = splice(ends[0], NULL, fd, NULL, len, 0);
	else if (n == (ssize_t)len)
		n = sendfile(fd, ends[0], &(off_t){ 0 }, len);
	err = errno;
	close(ends[0]);
	if (way == OUT_SPLICE)
		close(ends[1]);
	errno = err;
	return n;
}

static inline ssize_t write_by(int way, int fd, const void *bytes, size_t len, int flags)
{
	char *data = (char *)bytes;
	/* An empty part between the others. */
	struct iovec parts[] = { { data, len / 3 },
				 { NULL, 0 },
				 { data + len / 3, len - len / 3 } };
	struct msghdr msg = { .msg_iov = parts, .msg_iovlen = 3 };

	switch (way) {
	case OUT_SEND: return send(fd, data, len, flags);
	case OUT_SENDTO: return sendto(fd, data, len, flags, NULL, 0);
	case OUT_SENDMSG: return sendmsg(fd, &msg, flags);
	case OUT_SENDMMSG: return write_messages(fd, data, len, flags);
	case OUT_WRITE: return write(fd, data, len);
	case OUT_WRITEV: return writev(fd, parts, 3);
	case OUT_PWRITEV2: return pwritev2(fd, parts, 3, -1, 0);
	default: return write_file(way, fd, data, len);
	}
}

/* Two messages, if there are bytes for the second. */
static inline ssize_t read_messages(int fd, char *data, size_t len, int flags)
{
	struct iovec parts[] = { { data, len - len / 2 }, { data + len - len / 2, len / 2 } };
	struct mmsghdr msgs[] = { { .msg_hdr = { .msg_iov = &parts[0], .msg_iovlen = 1 } },
				  { .msg_hdr = { .msg_iov = &parts[1], .msg_iovlen = 1 } } };
	int n = recvmmsg(fd, msgs, len < 2 ? 1 : 2, flags | MSG_WAITFORONE, NULL);

	if (n < 2)
		return n < 1 ? n : (ssize_t)msgs[0].msg_len;
	memmove(data + msgs[0].msg_len, parts[1].iov_base, msgs[1].msg_len);
	return msgs[0].msg_len + msgs[1].msg_len;
}

static inline ssize_t read_spliced(int fd, char *data, size_t len)
{
	int ends[2], err;
	ssize_t n;

	if (pipe(ends))
		return -1;
	n = splice(fd, NULL, ends[1], NULL, len, 0);
	if (n > 0)
		n = read(ends[0], data, len);
	err = errno;
	close(ends[0]);
	close(ends[1]);
	errno = err;
	return n;
}

static inline ssize_t read_by(int way, int fd, void *bytes, size_t len, int flags)
{
	char *data = bytes;
	struct iovec parts[] = { { data, len / 3 },
				 { NULL, 0 },
				 { data + len / 3, len - len / 3 } };
	struct msghdr msg = { .msg_iov = parts, .msg_iovlen = 3 };

	switch (way) {
	case IN_RECV: return recv(fd, data, len, flags);
	case IN_RECVFROM: return recvfrom(fd, data, len, flags, NULL, NULL);
	case IN_RECVMSG: return recvmsg(fd, &msg, flags);
	case IN_RECVMMSG: return read_messages(fd, data, len, flags);
	case IN_READ: return read(fd, data, len);
	case IN_READV: return readv(fd, parts, 3);
	case IN_PREADV2: return preadv2(fd, parts, 3, -1, 0);
	default: return read_spliced(fd, data, len);
	}
}
