// SPDX-License-Identifier: MIT
/*
 * write(2), send(2) and their kin into SMC sockets.
 *
 * net/smc/smc_tx.c ends a blocking write early once the send buffer is full; TCP continues until
 * all is written, a signal arrives, or the time of SO_SNDTIMEO has passed. It holds back data
 * written with MSG_MORE until the next write, TCP for 200 ms. And it fails without SIGPIPE.
 *
 * Descriptors without a mark, and calls of SMC sockets that write everything, cost a few
 * instructions: tests/preload/instructions counts them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ld_pre_smc/calls/data.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/state/sandbox.h"

/* Milliseconds, far more than the kernel's worker takes: see smc_close_passive_work(). */
#define WORKER 1000

/* Milliseconds until a wait is repeated. */
#define SLICE 200

/*
 * struct writing - a write that may be incomplete
 * @flags: of send(2); MSG_DONTWAIT also for RWF_NOWAIT
 * @size: of all parts
 * @done: number of bytes written
 */
struct writing {
	int fd, flags;
	const struct iovec *parts;
	size_t n, size, done;
};

static void raise_sigpipe(void)
{
	siginfo_t info = { .si_code = SI_USER, .si_pid = getpid(), .si_uid = getuid() };

	syscall(SYS_rt_tgsigqueueinfo, info.si_pid, syscall(SYS_gettid), SIGPIPE, &info);
}

atomic_bool shim_left_some;

/* A mark may be that of an earlier socket with the number. */
static __attribute__((noinline)) bool was_left(int fd)
{
	struct shim_route route;

	return (unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_is_set(FD_KEPT, fd) &&
	       shim_route_find(fd, &route);
}

/* True if shutdown() has left this socket to smc_keep, so that the kernel still takes data. */
static inline bool is_left_to_keeper(int fd)
{
	return __builtin_expect(atomic_load_explicit(&shim_left_some, memory_order_relaxed), 0) &&
	       was_left(fd);
}

static __attribute__((noinline)) void refuse(int flags)
{
	if (!(flags & MSG_NOSIGNAL))
		raise_sigpipe();
	errno = EPIPE;
}

/* Return: true if TCP refuses this write. */
static inline bool is_refused(int fd, int flags)
{
	bool is_left = is_left_to_keeper(fd);

	if (is_left)
		refuse(flags);
	return is_left;
}

/*
 * After ECONNRESET: true if the peer has closed without an error. The kernel's worker has yet to
 * find out; this function then remembers that it is known.
 */
static bool has_closed(int fd)
{
	shim_wait(fd, POLLRDHUP, shim_milliseconds() + WORKER, NULL);
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
	return shim_connection_error(fd) ?: err;
}

bool shim_write_failed(int fd, bool may_signal)
{
	int err = errno;

	if ((err != EPIPE && err != ECONNRESET && err != ENOTCONN) || !shim_repairs() ||
	    !shim_marked_is_smc(fd))
		return false;
	err = verdict(fd, err);
	/* The kernel has sent the signal if the socket was shut down while this call waited. */
	if (err == EPIPE && may_signal)
		raise_sigpipe();
	errno = err; /* handlers may change it */
	return !err;
}

int shim_instead_of(int out)
{
	int null;

	if (!shim_fd_may_be_smc(out) || !shim_write_failed(out, true))
		return -1;
	null = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0)
		errno = ECONNRESET;
	return null;
}

/* Write what is left of the first unfinished part, or else all parts from there on. */
static ssize_t write_more(const struct writing *writing)
{
	struct msghdr message = { 0 };
	size_t i = 0, skip = writing->done;
	struct iovec part;

	for (; skip && skip >= writing->parts[i].iov_len; i++)
		skip -= writing->parts[i].iov_len;
	part = writing->parts[i];
	part.iov_base = (char *)part.iov_base + skip;
	part.iov_len = MIN(part.iov_len - skip, writing->size - writing->done);
	message.msg_iov = skip ? &part : (struct iovec *)&writing->parts[i];
	message.msg_iovlen = (__typeof__(message.msg_iovlen))(skip ? 1 : writing->n - i);
	return next_sendmsg(writing->fd, &message, writing->flags | MSG_DONTWAIT | MSG_NOSIGNAL);
}

/*
 * Signals are blocked except while this waits, so that none is missed: TCP returns after any
 * handler, with SA_RESTART too. The time starts here, after the first part. The wait is a
 * cancellation point, and in slices: the kernel loses the wake-up of a shutdown(). Meanwhile other
 * threads may close the socket, and open another file with its number.
 */
static void write_rest(struct writing *writing, const struct stat *file,
		       const struct shim_signals *signals)
{
	struct timeval unused;
	int timeout = shim_send_timeout(writing->fd, &unused);
	long long end = timeout < 0 ? LLONG_MAX : shim_milliseconds() + timeout, now;
	int events;
	ssize_t n;

	while (writing->done < writing->size && !is_left_to_keeper(writing->fd)) {
		now = shim_milliseconds();
		if (now >= end)
			break;
		events = shim_wait(writing->fd, POLLOUT, MIN(end, now + SLICE), signals->set);
		/* An error is left to the next call, as this one counts. */
		if (events < 0 || events & POLLERR || !shim_is_file(writing->fd, "", file))
			break;
		n = write_more(writing);
		if (n >= 0) {
			writing->done += (size_t)n;
		} else if (errno != EAGAIN) {
			if (errno == ECONNRESET)
				has_closed(writing->fd);
			break;
		}
	}
}

static bool is_blocking(const struct writing *writing)
{
	int flags = writing->flags & MSG_DONTWAIT ? O_NONBLOCK : fcntl(writing->fd, F_GETFL);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

/* Wait with signals blocked: see write_rest(). Preserves errno. */
static __attribute__((noinline)) void wait_and_write(struct writing *writing)
{
	struct shim_signals signals = { 0 };
	AUTO_ERRNO();
	int state;
	struct stat file;

	if (is_blocking(writing) && !shim_stat(writing->fd, "", &file) &&
	    shim_marked_is_smc(writing->fd)) {
		if (shim_signals_block(&signals))
			pthread_setcancelstate(signals.cancel_state, &state);
		write_rest(writing, &file, &signals);
		shim_signals_restore(&signals);
	}
}

/* @ret: result of the first call. Return: as TCP's. */
static __attribute__((noinline)) ssize_t finish(struct writing *writing, ssize_t ret)
{
	/* After another error, the parts may be invalid. */
	if (ret < 0 && !shim_write_failed(writing->fd, !(writing->flags & MSG_NOSIGNAL)))
		return -1;
	writing->size = shim_size(writing->parts, writing->n);
	writing->done = ret < 0 ? writing->size : (size_t)ret;
	if (writing->done < writing->size && shim_repairs())
		wait_and_write(writing);
	return (ssize_t)writing->done;
}

static __attribute__((noinline)) ssize_t finish_one(int fd, const void *data, size_t len, int flags,
						    ssize_t ret)
{
	struct iovec part = { .iov_base = (void *)data, .iov_len = len };
	struct writing writing = { .fd = fd, .flags = flags, .parts = &part, .n = 1 };

	return finish(&writing, ret);
}

static ssize_t finish_parts(int fd, const struct iovec *parts, size_t n, int flags, ssize_t ret)
{
	struct writing writing = { .fd = fd, .flags = flags, .parts = parts, .n = n };

	return finish(&writing, ret);
}

SMC_ONLY ssize_t write_smc(int fd, const void *data, size_t len)
{
	ssize_t ret;

	if (is_refused(fd, 0))
		return -1;
	ret = next_data(SHIM_WRITE, write)(fd, data, len);
	return (size_t)ret == len ? ret : finish_one(fd, data, len, 0, ret);
}

/**
 * write() - write(2) that writes everything, as TCP does
 *
 * Return: as write(2). The functions below do the same for their calls.
 */
ssize_t write(int fd, const void *data, size_t len)
{
	return shim_fd_may_be_smc(fd) ? write_smc(fd, data, len) :
					next_data(SHIM_WRITE, write)(fd, data, len);
}

bool shim_drops_more(int fd)
{
	struct shim_config own;

	if (!shim_is_locked)
		return shim_repairs() && shim_marked_is_smc(fd);
	return shim_fd_is_socket(fd) && !shim_config_get(&own)->raw;
}

/* Return: false if the call fails at once; otherwise @flags may lose MSG_MORE. */
static inline bool may_send(int fd, int *flags)
{
	if (is_refused(fd, *flags))
		return false;
	if (*flags & MSG_MORE && shim_drops_more(fd))
		*flags &= ~MSG_MORE;
	return true;
}

SMC_ONLY ssize_t send_smc(int fd, const void *data, size_t len, int flags)
{
	ssize_t ret;

	if (!may_send(fd, &flags))
		return -1;
	ret = next_data(SHIM_SEND, send)(fd, data, len, flags);
	return (size_t)ret == len ? ret : finish_one(fd, data, len, flags, ret);
}

ssize_t send(int fd, const void *data, size_t len, int flags)
{
	return shim_fd_may_be_smc(fd) ? send_smc(fd, data, len, flags) :
					next_data(SHIM_SEND, send)(fd, data, len, flags);
}

SMC_ONLY ssize_t sendto_smc(int fd, const void *data, size_t len, int flags,
			    const struct sockaddr *to, socklen_t to_len)
{
	ssize_t ret;

	if (!may_send(fd, &flags))
		return -1;
	ret = next_data(SHIM_SENDTO, sendto)(fd, data, len, flags, to, to_len);
	return (size_t)ret == len ? ret : finish_one(fd, data, len, flags, ret);
}

ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to,
	       socklen_t to_len)
{
	return shim_fd_may_be_smc(fd) ?
		       sendto_smc(fd, data, len, flags, to, to_len) :
		       next_data(SHIM_SENDTO, sendto)(fd, data, len, flags, to, to_len);
}

SMC_ONLY ssize_t sendmsg_smc(int fd, const struct msghdr *message, int flags)
{
	ssize_t ret;

	if (!may_send(fd, &flags))
		return -1;
	ret = next_sendmsg(fd, message, flags);
	/* After another error, @message may be invalid. */
	return ret >= 0 || errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN ?
		       finish_parts(fd, message->msg_iov, message->msg_iovlen, flags, ret) :
		       ret;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	return shim_fd_may_be_smc(fd) ? sendmsg_smc(fd, message, flags) :
					next_sendmsg(fd, message, flags);
}

/* Only the last message may be incomplete. Return: true if it was, and is complete now. */
static bool finish_last(int fd, struct mmsghdr *last, int flags)
{
	unsigned int written = last->msg_len;
	struct writing writing = { .fd = fd,
				   .flags = flags,
				   .parts = last->msg_hdr.msg_iov,
				   .n = last->msg_hdr.msg_iovlen };

	last->msg_len = (unsigned int)finish(&writing, (ssize_t)written);
	return last->msg_len > written && last->msg_len == writing.size;
}

/* Only the first message can have failed, or been thrown away. */
SMC_ONLY int sendmmsg_smc(int fd, struct mmsghdr *messages, unsigned int n, int flags)
{
	int saved = errno, done = 0, ret;

	if (!may_send(fd, &flags))
		return -1;
	ret = next_data(SHIM_SENDMMSG, sendmmsg)(fd, messages, n, (message_flags)flags);
	if (ret < 0) {
		if (!shim_write_failed(fd, !(flags & MSG_NOSIGNAL)))
			return ret;
		messages->msg_len = (unsigned int)shim_size(messages->msg_hdr.msg_iov,
							    messages->msg_hdr.msg_iovlen);
		return 1;
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
	if (is_refused(fd, 0))
		return -1;
	return finish_parts(fd, parts, (size_t)n, 0, next_data(SHIM_WRITEV, writev)(fd, parts, n));
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
	return shim_fd_may_be_smc(fd) ? writev_smc(fd, parts, n) :
					next_data(SHIM_WRITEV, writev)(fd, parts, n);
}

/* Headers may redirect pwritev2() to pwritev64v2(); on 32-bit machines their positions differ. */
ssize_t shim_pwritev2(int fd, const struct iovec *parts, int n, long pos,
		      int flags) __asm__("pwritev2");
ssize_t shim_pwritev64v2(int fd, const struct iovec *parts, int n, long long pos,
			 int flags) __asm__("pwritev64v2");

SMC_ONLY ssize_t finish_pwritev2(int fd, const struct iovec *parts, int n, int flags, ssize_t ret)
{
	return finish_parts(fd, parts, (size_t)n, flags & RWF_NOWAIT ? MSG_DONTWAIT : 0, ret);
}

ssize_t shim_pwritev2(int fd, const struct iovec *parts, int n, long pos, int flags)
{
	__typeof__(&shim_pwritev2) next = next_data(SHIM_PWRITEV2, shim_pwritev2);

	if (!shim_fd_may_be_smc(fd))
		return next(fd, parts, n, pos, flags);
	if (is_refused(fd, 0))
		return -1;
	return finish_pwritev2(fd, parts, n, flags, next(fd, parts, n, pos, flags));
}

ssize_t shim_pwritev64v2(int fd, const struct iovec *parts, int n, long long pos, int flags)
{
	__typeof__(&shim_pwritev64v2) next = next_data(SHIM_PWRITEV64V2, shim_pwritev64v2);

	if (!shim_fd_may_be_smc(fd))
		return next(fd, parts, n, pos, flags);
	if (is_refused(fd, 0))
		return -1;
	return finish_pwritev2(fd, parts, n, flags, next(fd, parts, n, pos, flags));
}

#ifdef __GLIBC__
/* Second names, which old programs use. */
extern __typeof__(write) shim_write __asm__("__write") __attribute__((alias("write")));
extern __typeof__(send) shim_send __asm__("__send") __attribute__((alias("send")));
#endif
SHIM_TIME64(sendmsg, __sendmsg64);
SHIM_TIME64(sendmmsg, __sendmmsg64);
