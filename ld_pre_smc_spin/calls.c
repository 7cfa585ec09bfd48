// SPDX-License-Identifier: MIT
/* Calls that wait for input: each looks for it first, and is then made unchanged. */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "ld_pre_smc_spin/spin.h"

#ifdef __GLIBC__
typedef int message_flags;
#else
typedef unsigned int message_flags;
#endif

/* Descriptors in the sets of select(2) that can be looked at; with more, it does not spin. */
#define SELECT_MOST 64

/* The next function of a name: of libc, or of another preload library. Not in every libc: NULL. */
typedef void (*any_fn)(void);
static any_fn find_next(_Atomic(any_fn) *place, const char *name)
{
	any_fn found = atomic_load_explicit(place, memory_order_relaxed);
	int saved = errno;

	if (!found) {
		found = (any_fn)dlsym(RTLD_NEXT, name);
		atomic_store_explicit(place, found, memory_order_relaxed);
		errno = saved;
	}
	return found;
}

#define NEXT(name)                                                                                 \
	({                                                                                         \
		static _Atomic(any_fn) next_##name;                                                \
		(__typeof__(&name))find_next(&next_##name, #name);                                 \
	})

/* Fortified forms, which glibc's headers do not declare everywhere. */
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

static bool spins(int fd, size_t len, int flags)
{
	return len && !(flags & (MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB)) && spin_input(fd);
}

/** recv() - recv(2) that spins. Return: as recv(2); so it is for all of them */
ssize_t recv(int fd, void *data, size_t len, int flags)
{
	return spins(fd, len, flags) ? interrupted() : NEXT(recv)(fd, data, len, flags);
}

ssize_t __recv_chk(int fd, void *data, size_t len, size_t size, int flags)
{
	return spins(fd, len, flags) ? interrupted() : NEXT(__recv_chk)(fd, data, len, size, flags);
}

ssize_t recvfrom(int fd, void *data, size_t len, int flags, struct sockaddr *addr,
		 socklen_t *addr_len)
{
	return spins(fd, len, flags) ? interrupted() :
				       NEXT(recvfrom)(fd, data, len, flags, addr, addr_len);
}

ssize_t __recvfrom_chk(int fd, void *data, size_t len, size_t size, int flags,
		       struct sockaddr *addr, socklen_t *addr_len)
{
	return spins(fd, len, flags) ?
		       interrupted() :
		       NEXT(__recvfrom_chk)(fd, data, len, size, flags, addr, addr_len);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	return spins(fd, 1, flags) ? interrupted() : NEXT(recvmsg)(fd, message, flags);
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned int n, message_flags flags,
	     struct timespec *timeout)
{
	return spins(fd, n, (int)flags) ? interrupted() :
					  NEXT(recvmmsg)(fd, messages, n, flags, timeout);
}

ssize_t read(int fd, void *data, size_t len)
{
	return spins(fd, len, 0) ? interrupted() : NEXT(read)(fd, data, len);
}

ssize_t __read_chk(int fd, void *data, size_t len, size_t size)
{
	return spins(fd, len, 0) ? interrupted() : NEXT(__read_chk)(fd, data, len, size);
}

ssize_t readv(int fd, const struct iovec *parts, int n)
{
	return spins(fd, n > 0, 0) ? interrupted() : NEXT(readv)(fd, parts, n);
}

/* ---- poll(2) ---- */

static long long usec_of(const struct timespec *time)
{
	return time ? time->tv_sec * 1000000LL + time->tv_nsec / 1000 : -1;
}

/* The kernel's 64 signals of a sigset_t; NULL stays. */
static const uint64_t *kernel_mask(const sigset_t *set, uint64_t *mask)
{
	return set ? memcpy(mask, set, sizeof(*mask)) : NULL;
}

int poll(struct pollfd *fds, nfds_t n, int msec)
{
	return spin_poll(fds, n, msec * 1000LL, NULL) ? interrupted() : NEXT(poll)(fds, n, msec);
}

int __poll_chk(struct pollfd *fds, nfds_t n, int msec, size_t size)
{
	return spin_poll(fds, n, msec * 1000LL, NULL) ? interrupted() :
							NEXT(__poll_chk)(fds, n, msec, size);
}

static bool spins_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			const sigset_t *sigmask)
{
	uint64_t mask;

	return spin_is_on() && spin_poll(fds, n, usec_of(timeout), kernel_mask(sigmask, &mask));
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *sigmask)
{
	return spins_ppoll(fds, n, timeout, sigmask) ? interrupted() :
						       NEXT(ppoll)(fds, n, timeout, sigmask);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		const sigset_t *sigmask, size_t size)
{
	return spins_ppoll(fds, n, timeout, sigmask) ?
		       interrupted() :
		       NEXT(__ppoll_chk)(fds, n, timeout, sigmask, size);
}

/* ---- select(2) ---- */

static short events_of(int fd, const fd_set *in, const fd_set *out, const fd_set *urgent)
{
	return (short)((in && FD_ISSET(fd, in) ? POLLIN : 0) |
		       (out && FD_ISSET(fd, out) ? POLLOUT : 0) |
		       (urgent && FD_ISSET(fd, urgent) ? POLLPRI : 0));
}

static bool spins_select(int n, const fd_set *in, const fd_set *out, const fd_set *urgent,
			 long long usec, const uint64_t *sigmask)
{
	struct pollfd fds[SELECT_MOST];
	nfds_t count = 0;
	short events;
	int fd;

	if (!spin_is_on() || !in || n > FD_SETSIZE)
		return false;
	for (fd = 0; fd < n; fd++) {
		events = events_of(fd, in, out, urgent);
		if (!events)
			continue;
		if (count == SELECT_MOST)
			return false;
		fds[count++] = (struct pollfd){ .fd = fd, .events = events };
	}
	return spin_poll(fds, count, usec, sigmask);
}

int select(int n, fd_set *in, fd_set *out, fd_set *urgent, struct timeval *timeout)
{
	long long usec = timeout ? timeout->tv_sec * 1000000LL + timeout->tv_usec : -1;

	return spins_select(n, in, out, urgent, usec, NULL) ?
		       interrupted() :
		       NEXT(select)(n, in, out, urgent, timeout);
}

int pselect(int n, fd_set *in, fd_set *out, fd_set *urgent, const struct timespec *timeout,
	    const sigset_t *sigmask)
{
	uint64_t mask;

	return spin_is_on() && spins_select(n, in, out, urgent, usec_of(timeout),
					    kernel_mask(sigmask, &mask)) ?
		       interrupted() :
		       NEXT(pselect)(n, in, out, urgent, timeout, sigmask);
}

/* ---- epoll(7) ---- */

int epoll_create(int size)
{
	int fd = NEXT(epoll_create)(size);

	spin_watch_new(fd);
	return fd;
}

int epoll_create1(int flags)
{
	int fd = NEXT(epoll_create1)(flags);

	spin_watch_new(fd);
	return fd;
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
	return spin_epoll(epfd, msec * 1000LL, NULL) ? interrupted() :
						       NEXT(epoll_wait)(epfd, events, n, msec);
}

int epoll_pwait(int epfd, struct epoll_event *events, int n, int msec, const sigset_t *sigmask)
{
	uint64_t mask;

	return spin_is_on() && spin_epoll(epfd, msec * 1000LL, kernel_mask(sigmask, &mask)) ?
		       interrupted() :
		       NEXT(epoll_pwait)(epfd, events, n, msec, sigmask);
}

int epoll_pwait2(int epfd, struct epoll_event *events, int n, const struct timespec *timeout,
		 const sigset_t *sigmask);

int epoll_pwait2(int epfd, struct epoll_event *events, int n, const struct timespec *timeout,
		 const sigset_t *sigmask)
{
	uint64_t mask;

	return spin_is_on() && spin_epoll(epfd, usec_of(timeout), kernel_mask(sigmask, &mask)) ?
		       interrupted() :
		       NEXT(epoll_pwait2)(epfd, events, n, timeout, sigmask);
}
