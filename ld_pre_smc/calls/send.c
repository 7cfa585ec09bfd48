// SPDX-License-Identifier: MIT
/*
 * write(2), send(2) and their kin into SMC sockets.
 *
 * Descriptors without a mark, and calls that write everything to an SMC socket, cost a few
 * instructions: tests/preload/instructions counts them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ld_pre_smc/calls/data.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/repair.h"

/* Milliseconds, far more than the kernel's worker takes: see smc_close_passive_work(). */
#define WORKER 1000

/* Milliseconds until a wait is repeated. */
#define SLICE 200

/*
 * struct writing - a write that may be incomplete
 * @flags: of send(2); MSG_DONTWAIT also for RWF_NOWAIT; @size: of all parts of the message
 * @done: number of bytes written
 */
struct writing {
	int fd, flags;
	const struct msghdr *message;
	size_t size, done;
};

static void raise_sigpipe(void)
{
	siginfo_t info = { .si_code = SI_USER, .si_pid = getpid(), .si_uid = getuid() };

	syscall(SYS_rt_tgsigqueueinfo, info.si_pid, syscall(SYS_gettid), SIGPIPE, &info);
}

/*
 * After ECONNRESET: true, and remembered, if the peer has closed without an error. The test is a
 * connect(2) without effect, which finds a connection until the kernel's worker has seen its end.
 */
static bool has_closed(int fd)
{
	const struct sockaddr_in any = { .sin_family = AF_INET };
	int tries = 0;

	while (tries++ < WORKER && syscall(SYS_connect, fd, &any, sizeof(any)) && errno == EISCONN)
		shim_nap();
	/* A write that waited has taken the error; from then on every write fails. */
	if (shim_events(fd, 0) & POLLERR ||
	    syscall(SYS_sendto, fd, "", 0, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0) < 0)
		return false;
	next_shutdown(fd, SHUT_WR);
	return true;
}

/* Return: errno of TCP, 0 if TCP takes the write. */
static int verdict(int fd, int err)
{
	if (err == ENOTCONN)
		return shim_is_tcp_active(fd) ? EAGAIN : EPIPE;
	if (err == ECONNRESET && has_closed(fd))
		return 0;
	return shim_connection_error(fd, err) ?: err;
}

/*
 * Give a failed write errno and SIGPIPE of TCP: errno may become EPIPE, ECONNRESET, ETIMEDOUT or
 * EAGAIN. @may_signal: false with MSG_NOSIGNAL. Return: true with errno 0 if TCP would take this
 * write and drop it: the first one after the peer has closed.
 */
static bool write_failed(int fd, bool may_signal)
{
	int err = errno;

	if ((err != EPIPE && err != ECONNRESET && err != ENOTCONN && err != ECONNABORTED) ||
	    !shim_repairs() || !shim_marked_is_smc(fd) || !shim_mends(fd, REPAIR_WRITE_ERRORS))
		return false;
	err = verdict(fd, err);
	/* Send a second signal if the socket was shut down while this call waited in the kernel. */
	if (err == EPIPE && may_signal)
		raise_sigpipe();
	errno = err; /* handlers may change it */
	return !err;
}

int shim_instead_of(int out)
{
	int null;

	if (!shim_fd_may_be_smc(out) || !write_failed(out, true))
		return -1;
	null = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0)
		errno = ECONNRESET;
	return null;
}

/* Write what is left of the first unfinished part, or else all parts from there on. */
static ssize_t write_more(const struct writing *writing)
{
	struct msghdr rest = { .msg_iov = writing->message->msg_iov,
			       .msg_iovlen = writing->message->msg_iovlen };
	size_t skip = writing->done;
	struct iovec part;

	for (; skip && skip >= rest.msg_iov->iov_len; rest.msg_iov++, rest.msg_iovlen--)
		skip -= rest.msg_iov->iov_len;
	if (skip) {
		part.iov_base = (char *)rest.msg_iov->iov_base + skip;
		part.iov_len = MIN(rest.msg_iov->iov_len - skip, writing->size - writing->done);
		rest.msg_iov = &part;
		rest.msg_iovlen = 1;
	}
	return next_sendmsg(writing->fd, &rest, writing->flags | MSG_DONTWAIT | MSG_NOSIGNAL);
}

/*
 * Signals are blocked except while this waits, so that none is missed: TCP returns after any
 * handler, even one with SA_RESTART. The timeout starts here, after the first part. The wait is a
 * cancellation point, and divided into slices, because the kernel loses the wake-up of a
 * shutdown(). During it, other threads may close the socket, and open another file with its number.
 */
static void write_rest(struct writing *writing, const struct stat *file,
		       const struct shim_signals *signals)
{
	struct timeval unused;
	int timeout = shim_send_timeout(writing->fd, &unused), events;
	long long now = shim_milliseconds(), end = timeout < 0 ? LLONG_MAX : now + timeout;
	ssize_t n;

	for (; writing->done < writing->size && now < end; now = shim_milliseconds()) {
		events = shim_wait(writing->fd, POLLOUT, MIN(end, now + SLICE), signals->set);
		/* Leave an error to the next call: this one reports its bytes. */
		if (events < 0 || events & POLLERR || !shim_is_file(writing->fd, "", file))
			break;
		n = write_more(writing);
		if (n < 0 && errno != EAGAIN) {
			if (errno == ECONNRESET)
				has_closed(writing->fd);
			break;
		}
		writing->done += (size_t)MAX(n, 0);
	}
}

static bool is_blocking(int fd, int flags)
{
	int status = flags & MSG_DONTWAIT ? O_NONBLOCK : fcntl(fd, F_GETFL);

	return status >= 0 && !(status & O_NONBLOCK);
}

/* Wait with signals blocked: see write_rest(). Preserves errno. */
static void wait_and_write(struct writing *writing)
{
	struct shim_signals signals = { 0 };
	AUTO_ERRNO();
	int state;
	struct stat file;

	if (!is_blocking(writing->fd, writing->flags) || shim_stat(writing->fd, "", &file) ||
	    !shim_marked_is_smc(writing->fd) || !shim_mends(writing->fd, REPAIR_WHOLE))
		return;
	if (shim_signals_block(&signals))
		pthread_setcancelstate(signals.cancel_state, &state);
	write_rest(writing, &file, &signals);
	shim_signals_restore(&signals);
}

/* @ret: result of the first call. Return: like TCP's. */
static RARE ssize_t finish(int fd, const struct msghdr *message, int flags, ssize_t ret)
{
	struct writing writing = { .fd = fd, .flags = flags, .message = message };

	/* After another error, the message may be invalid. */
	if (ret < 0 && !write_failed(fd, !(flags & MSG_NOSIGNAL)))
		return -1;
	writing.size = shim_size(message->msg_iov, message->msg_iovlen);
	writing.done = ret < 0 ? writing.size : (size_t)ret;
	if (writing.done < writing.size && shim_repairs())
		wait_and_write(&writing);
	return (ssize_t)writing.done;
}

static RARE ssize_t finish_parts(int fd, const struct iovec *parts, int n, int flags, ssize_t ret)
{
	struct msghdr message = { .msg_iov = (struct iovec *)parts,
				  .msg_iovlen = (__typeof__(message.msg_iovlen))n };

	return finish(fd, &message, flags, ret);
}

static RARE ssize_t finish_one(int fd, const void *data, size_t len, int flags, ssize_t ret)
{
	struct iovec part = { .iov_base = (void *)data, .iov_len = len };

	return finish_parts(fd, &part, 1, flags, ret);
}

SMC_ONLY ssize_t write_smc(int fd, const void *data, size_t len)
{
	KEEP3(fd, data, len);
	ssize_t ret = next_data(SHIM_WRITE, write)(fd, data, len);

	if ((size_t)ret != kept_len)
		return finish_one(kept_fd, kept_data, kept_len, 0, ret);
	return ret;
}

/**
 * write() - write(2) that writes everything, as TCP does
 *
 * Return: like write(2). The functions below do the same for their calls.
 */
DOOR(ssize_t, write, SHIM_WRITE, (int fd, const void *data, size_t len), (fd, data, len))

bool shim_drops_more(int fd)
{
	struct shim_config own;

	if (!shim_is_locked)
		return shim_repairs() && shim_marked_is_smc(fd) && shim_needs(REPAIR_MORE);
	return shim_fd_is_socket(fd) && !shim_config_get(&own)->raw;
}

SMC_ONLY ssize_t send_smc(int fd, const void *data, size_t len, int flags)
{
	KEEP4(fd, data, len, flags);
	ssize_t ret = next_data(SHIM_SEND, send)(fd, data, len, flags);

	if ((size_t)ret != kept_len)
		return finish_one(kept_fd, kept_data, kept_len, kept_flags, ret);
	return ret;
}

static RARE ssize_t send_more(int fd, const void *data, size_t len, int flags)
{
	return send_smc(fd, data, len, shim_drops_more(fd) ? flags & ~MSG_MORE : flags);
}

ssize_t send(int fd, const void *data, size_t len, int flags)
{
	if (!shim_fd_may_be_smc(fd))
		return next_data(SHIM_SEND, send)(fd, data, len, flags);
	return flags & MSG_MORE ? send_more(fd, data, len, flags) : send_smc(fd, data, len, flags);
}

SMC_ONLY ssize_t sendto_smc(int fd, const void *data, size_t len, int flags,
			    const struct sockaddr *to, socklen_t to_len)
{
	KEEP4(fd, data, len, flags);
	ssize_t ret = next_data(SHIM_SENDTO, sendto)(fd, data, len, flags, to, to_len);

	if ((size_t)ret != kept_len)
		return finish_one(kept_fd, kept_data, kept_len, kept_flags, ret);
	return ret;
}

static RARE ssize_t sendto_more(int fd, const void *data, size_t len, int flags,
				const struct sockaddr *to, socklen_t to_len)
{
	flags = shim_drops_more(fd) ? flags & ~MSG_MORE : flags;
	return sendto_smc(fd, data, len, flags, to, to_len);
}

ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to,
	       socklen_t to_len)
{
	if (!shim_fd_may_be_smc(fd))
		return next_data(SHIM_SENDTO, sendto)(fd, data, len, flags, to, to_len);
	return flags & MSG_MORE ? sendto_more(fd, data, len, flags, to, to_len) :
				  sendto_smc(fd, data, len, flags, to, to_len);
}

SMC_ONLY ssize_t sendmsg_smc(int fd, const struct msghdr *message, int flags)
{
	KEEP3(fd, message, flags);
	ssize_t ret = next_sendmsg(fd, message, flags);
	const struct msghdr *sent = kept_message;

	if (ret > 0 && (size_t)ret == shim_sum(sent->msg_iov, sent->msg_iovlen))
		return ret;
	return finish(kept_fd, sent, kept_flags, ret);
}

static RARE ssize_t sendmsg_more(int fd, const struct msghdr *message, int flags)
{
	return sendmsg_smc(fd, message, shim_drops_more(fd) ? flags & ~MSG_MORE : flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (!shim_fd_may_be_smc(fd))
		return next_sendmsg(fd, message, flags);
	return flags & MSG_MORE ? sendmsg_more(fd, message, flags) :
				  sendmsg_smc(fd, message, flags);
}

/* Only the last message may be incomplete. Return: true if this call has completed it. */
static bool finish_last(int fd, struct mmsghdr *last, int flags)
{
	unsigned int written = last->msg_len;

	last->msg_len = (unsigned int)finish(fd, &last->msg_hdr, flags, (ssize_t)written);
	return last->msg_len > written &&
	       last->msg_len == shim_size(last->msg_hdr.msg_iov, last->msg_hdr.msg_iovlen);
}

/* Only the first message can have failed, or been thrown away. */
SMC_ONLY int sendmmsg_smc(int fd, struct mmsghdr *messages, unsigned int n, int flags)
{
	int saved = errno, done = 0, ret;
	ssize_t size;

	if (flags & MSG_MORE && shim_drops_more(fd))
		flags &= ~MSG_MORE;
	ret = next_data(SHIM_SENDMMSG, sendmmsg)(fd, messages, n, (message_flags)flags);
	if (ret < 0) {
		size = finish(fd, &messages->msg_hdr, flags, ret);
		if (size >= 0)
			messages->msg_len = (unsigned int)size;
		return size < 0 ? -1 : 1;
	}
	while (ret > 0) {
		done += ret;
		if (!finish_last(fd, &messages[done - 1], flags) || (unsigned int)done >= n)
			break;
		ret = next_data(SHIM_SENDMMSG, sendmmsg)(
			fd, messages + done, n - (unsigned int)done, (message_flags)flags);
	}
	errno = saved;
	return done;
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int n, message_flags flags)
{
	return shim_fd_may_be_smc(fd) ? sendmmsg_smc(fd, messages, n, (int)flags) :
					next_data(SHIM_SENDMMSG, sendmmsg)(fd, messages, n, flags);
}

SMC_ONLY ssize_t writev_smc(int fd, const struct iovec *parts, int n)
{
	KEEP3(fd, parts, n);
	ssize_t ret = next_data(SHIM_WRITEV, writev)(fd, parts, n);

	if (ret > 0 && (size_t)ret == shim_sum(kept_parts, (size_t)kept_n))
		return ret;
	return finish_parts(kept_fd, kept_parts, kept_n, 0, ret);
}

DOOR(ssize_t, writev, SHIM_WRITEV, (int fd, const struct iovec *parts, int n), (fd, parts, n))

static ssize_t finish_at(int fd, const struct iovec *parts, int n, int flags, ssize_t ret)
{
	return finish_parts(fd, parts, n, flags & RWF_NOWAIT ? MSG_DONTWAIT : 0, ret);
}

PARTS_AT(pwritev2, SHIM_PWRITEV2, long, finish_at)
PARTS_AT(pwritev64v2, SHIM_PWRITEV64V2, long long, finish_at)

#ifdef __GLIBC__
/* Second names, which old programs use. */
extern __typeof__(write) shim_write __asm__("__write") __attribute__((alias("write")));
extern __typeof__(send) shim_send __asm__("__send") __attribute__((alias("send")));
#endif
SHIM_TIME64(sendmsg, __sendmsg64);
SHIM_TIME64(sendmmsg, __sendmmsg64);
