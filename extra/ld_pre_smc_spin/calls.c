// SPDX-License-Identifier: MIT
/* Calls that wait for input: each first looks for it, and then makes the call unchanged. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "ld_pre_smc/symbol.h"
#include "ld_pre_smc_spin/spin.h"

#ifdef __GLIBC__
typedef int message_flags;
#else
typedef unsigned int message_flags;
#endif

/* Descriptors that select(2) can look at while it spins; with more, it does not spin. */
#define SELECT_MOST 64

/* Functions of libc, or of another preload library. */
typedef void (*any_fn)(void);

/* clang-format off */
#define EACH(ROW) \
	ROW(accept) ROW(accept4) ROW(connect) \
	ROW(recv) ROW(recvfrom) ROW(recvmsg) ROW(recvmmsg) ROW(read) ROW(readv) \
	ROW(poll) ROW(ppoll) ROW(select) ROW(pselect) \
	ROW(preadv2) ROW(preadv64v2) \
	ROW(epoll_create) ROW(epoll_create1) ROW(epoll_ctl) \
	ROW(epoll_wait) ROW(epoll_pwait) ROW(epoll_pwait2) \
	ROW(__read_chk) ROW(__recv_chk) ROW(__recvfrom_chk) ROW(__poll_chk) ROW(__ppoll_chk)
/* clang-format on */

#define NUMBER(name) NEXT_##name,
enum { EACH(NUMBER) NEXT_FNS };

#define NAME(name) #name,
static const char *const names[NEXT_FNS] = { EACH(NAME) };

static _Atomic(any_fn) next_fns[NEXT_FNS];

/* Missing from this libc (musl lacks some), so programs do not call it. */
static int missing(void)
{
	errno = ENOSYS;
	return -1;
}

static any_fn find_next(int fn)
{
	any_fn found = atomic_load_explicit(&next_fns[fn], memory_order_relaxed);
	int saved = errno;

	if (!found) {
		found = (any_fn)shim_symbol(names[fn]);
		if (!found)
			found = (any_fn)missing;
		atomic_store_explicit(&next_fns[fn], found, memory_order_relaxed);
		errno = saved;
	}
	return found;
}

/* Before main(), because shim_symbol() takes the loader's lock. */
static __attribute__((constructor)) void find_all(void)
{
	for (int fn = 0; fn < NEXT_FNS; fn++)
		find_next(fn);
}

#define NEXT(name) ((__typeof__(&name))find_next(NEXT_##name))

/* Functions that not all headers declare. */
int epoll_pwait2(int epfd, struct epoll_event *events, int n, const struct timespec *timeout,
		 const sigset_t *sigmask);
ssize_t __read_chk(int fd, void *data, size_t len, size_t size);
ssize_t __recv_chk(int fd, void *data, size_t len, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void *data, size_t len, size_t size, int flags,
		       struct sockaddr *addr, socklen_t *addr_len);
int __poll_chk(struct pollfd *fds, nfds_t n, int msec, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		const sigset_t *sigmask, size_t size);

static int interrupted(void)
{
	errno = EINTR;
	return -1;
}

/* ---- new connections ---- */

int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	spin_new(fd);
	return NEXT(connect)(fd, addr, len);
}

int accept(int fd, struct sockaddr *addr, socklen_t *len)
{
	int ret = NEXT(accept)(fd, addr, len);

	spin_new(ret);
	return ret;
}

int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	int ret = NEXT(accept4)(fd, addr, len, flags);

	spin_new(ret);
	return ret;
}

/* ---- recv(2) and read(2) ---- */

/* Return: MSG_DONTWAIT if a signal ended the wait, else 0. */
static int spins(int fd, size_t len, int flags)
{
	if (!len || flags & (MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB))
		return 0;
	return spin_input(fd, flags & MSG_WAITALL) ? MSG_DONTWAIT : 0;
}

/* Result of the call; it does not wait if @ended, but the kernel still checks the arguments. */
static ssize_t result_of(int ended, ssize_t ret)
{
	spin_ended();
	if (ended && ret < 0 && errno == EAGAIN)
		errno = EINTR;
	return ret;
}

/** recv() - recv(2) that spins. The functions below do the same for their calls. */
ssize_t recv(int fd, void *data, size_t len, int flags)
{
	int ended = spins(fd, len, flags);

	return result_of(ended, NEXT(recv)(fd, data, len, flags | ended));
}

ssize_t __recv_chk(int fd, void *data, size_t len, size_t size, int flags)
{
	int ended = spins(fd, len, flags);

	return result_of(ended, NEXT(__recv_chk)(fd, data, len, size, flags | ended));
}

ssize_t recvfrom(int fd, void *data, size_t len, int flags, struct sockaddr *addr,
		 socklen_t *addr_len)
{
	int ended = spins(fd, len, flags);

	return result_of(ended, NEXT(recvfrom)(fd, data, len, flags | ended, addr, addr_len));
}

ssize_t __recvfrom_chk(int fd, void *data, size_t len, size_t size, int flags,
		       struct sockaddr *addr, socklen_t *addr_len)
{
	int ended = spins(fd, len, flags);

	return result_of(ended,
			 NEXT(__recvfrom_chk)(fd, data, len, size, flags | ended, addr, addr_len));
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	int ended = spins(fd, 1, flags);

	return result_of(ended, NEXT(recvmsg)(fd, message, flags | ended));
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned int n, message_flags flags,
	     struct timespec *timeout)
{
	int ended = spins(fd, n, (int)flags);

	return (int)result_of(
		ended, NEXT(recvmmsg)(fd, messages, n, flags | (message_flags)ended, timeout));
}

ssize_t read(int fd, void *data, size_t len)
{
	int ended = spins(fd, len, 0);

	return result_of(ended,
			 ended ? NEXT(recv)(fd, data, len, ended) : NEXT(read)(fd, data, len));
}

ssize_t __read_chk(int fd, void *data, size_t len, size_t size)
{
	int ended = spins(fd, len, 0);

	return result_of(ended, ended ? NEXT(__recv_chk)(fd, data, len, size, ended) :
					NEXT(__read_chk)(fd, data, len, size));
}

/* Return: like spins(). */
static int spins_for_parts(int fd, int n)
{
	return spins(fd, n > 0 && n <= IOV_MAX, 0);
}

/* Like readv(2), but does not wait. */
static ssize_t interrupted_readv(int fd, const struct iovec *parts, int n)
{
	struct msghdr message = { .msg_iov = (struct iovec *)parts, .msg_iovlen = 0 };

	message.msg_iovlen = (__typeof__(message.msg_iovlen))n;
	return result_of(MSG_DONTWAIT, NEXT(recvmsg)(fd, &message, MSG_DONTWAIT));
}

ssize_t readv(int fd, const struct iovec *parts, int n)
{
	return spins_for_parts(fd, n) ? interrupted_readv(fd, parts, n) :
					result_of(0, NEXT(readv)(fd, parts, n));
}

/*
 * preadv2(2), which is readv(2) without a position; preadv(2) never waits, as sockets have none.
 * Headers may redirect it to preadv64v2(); on 32-bit machines their positions differ.
 */
#define READ_AT(name, position)                                                                    \
	ssize_t spin_##name(int fd, const struct iovec *parts, int n, position at,                 \
			    int flags) __asm__(#name);                                             \
	ssize_t spin_##name(int fd, const struct iovec *parts, int n, position at, int flags)      \
	{                                                                                          \
		__typeof__(&spin_##name) next = (__typeof__(next))find_next(NEXT_##name);          \
                                                                                                   \
		return at == -1 && !flags && spins_for_parts(fd, n) ?                              \
			       interrupted_readv(fd, parts, n) :                                   \
			       result_of(0, next(fd, parts, n, at, flags));                        \
	}

READ_AT(preadv2, long)
READ_AT(preadv64v2, long long)

/* ---- poll(2) ---- */

/* Microseconds, at most a day; 0 for a time that the kernel refuses. */
static long long usec_of(long long sec, long long usec)
{
	const long long day = 86400, million = 1000000;

	if (sec < 0 || usec < 0)
		return 0;
	return sec < day && usec < day * million ? sec * million + usec : day * million;
}

/* The same; negative without a limit. */
static long long usec_of_spec(const struct timespec *time)
{
	if (!time)
		return -1;
	return time->tv_nsec < 0 || time->tv_nsec >= 1000000000 ?
		       0 :
		       usec_of(time->tv_sec, time->tv_nsec / 1000);
}

static int poll_result(int ret)
{
	return ret < 0 ? interrupted() : ret;
}

/* Result of a call that may have slept. */
static int after(int ret)
{
	spin_ended();
	return ret;
}

int poll(struct pollfd *fds, nfds_t n, int msec)
{
	int ret = spin_poll(fds, n, msec * 1000LL, NULL);

	return ret ? poll_result(ret) : after(NEXT(poll)(fds, n, msec));
}

int __poll_chk(struct pollfd *fds, nfds_t n, int msec, size_t size)
{
	int ret = n <= size / sizeof(*fds) ? spin_poll(fds, n, msec * 1000LL, NULL) : 0;

	return ret ? poll_result(ret) : after(NEXT(__poll_chk)(fds, n, msec, size));
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *sigmask)
{
	int ret = spin_is_on() ? spin_poll(fds, n, usec_of_spec(timeout), sigmask) : 0;

	return ret ? poll_result(ret) : after(NEXT(ppoll)(fds, n, timeout, sigmask));
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		const sigset_t *sigmask, size_t size)
{
	bool is_on = spin_is_on() && n <= size / sizeof(*fds);
	int ret = is_on ? spin_poll(fds, n, usec_of_spec(timeout), sigmask) : 0;

	return ret ? poll_result(ret) : after(NEXT(__ppoll_chk)(fds, n, timeout, sigmask, size));
}

/* ---- select(2) ---- */

/* True if the kernel can read a set of @n bits. If not, select(2) fails with EFAULT. */
static bool is_valid(const fd_set *set, int n)
{
	return spin_is_readable(set, (size_t)(n - 1) / 64 * 8 + 8);
}

/*
 * The kernel's select(2) is called in any case. Does not spin with a set of exceptions, which some
 * files report only once.
 */
static bool spins_select(int n, const fd_set *in, const fd_set *out, const fd_set *urgent,
			 long long usec, const sigset_t *sigmask)
{
	struct pollfd fds[SELECT_MOST];
	nfds_t count = 0;
	short events;

	if (!in || urgent || n < 1 || n > FD_SETSIZE || !spin_is_due(fds, usec) ||
	    !is_valid(in, n) || (out && !is_valid(out, n)))
		return false;
	for (int fd = 0; fd < n; fd++) {
		events = FD_ISSET(fd, in) ? POLLIN : 0;
		events |= out && FD_ISSET(fd, out) ? POLLOUT : 0;
		if (!events)
			continue;
		if (count == SELECT_MOST)
			return false;
		fds[count++] = (struct pollfd){ .fd = fd, .events = events };
	}
	return spin_poll(fds, count, usec, sigmask) < 0;
}

int select(int n, fd_set *in, fd_set *out, fd_set *urgent, struct timeval *timeout)
{
	long long usec = timeout ? usec_of(timeout->tv_sec, timeout->tv_usec) : -1;

	return spins_select(n, in, out, urgent, usec, NULL) ?
		       interrupted() :
		       after(NEXT(select)(n, in, out, urgent, timeout));
}

int pselect(int n, fd_set *in, fd_set *out, fd_set *urgent, const struct timespec *timeout,
	    const sigset_t *sigmask)
{
	return spin_is_on() && spins_select(n, in, out, urgent, usec_of_spec(timeout), sigmask) ?
		       interrupted() :
		       after(NEXT(pselect)(n, in, out, urgent, timeout, sigmask));
}

/* ---- epoll(7) ---- */

int epoll_create(int size)
{
	return spin_watch_new(NEXT(epoll_create)(size));
}

int epoll_create1(int flags)
{
	return spin_watch_new(NEXT(epoll_create1)(flags));
}

int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	int ret = NEXT(epoll_ctl)(epfd, op, fd, event);

	if (!ret && op != EPOLL_CTL_DEL)
		spin_watch(epfd, fd);
	return ret;
}

int epoll_wait(int epfd, struct epoll_event *events, int n, int msec)
{
	int ret = spin_epoll(epfd, events, n, msec * 1000LL, NULL);

	return ret ? poll_result(ret) : after(NEXT(epoll_wait)(epfd, events, n, msec));
}

int epoll_pwait(int epfd, struct epoll_event *events, int n, int msec, const sigset_t *sigmask)
{
	int ret = spin_epoll(epfd, events, n, msec * 1000LL, sigmask);

	return ret ? poll_result(ret) : after(NEXT(epoll_pwait)(epfd, events, n, msec, sigmask));
}

int epoll_pwait2(int epfd, struct epoll_event *events, int n, const struct timespec *timeout,
		 const sigset_t *sigmask)
{
	int ret = spin_is_on() ? spin_epoll(epfd, events, n, usec_of_spec(timeout), sigmask) : 0;

	return ret ? poll_result(ret) :
		     after(NEXT(epoll_pwait2)(epfd, events, n, timeout, sigmask));
}
