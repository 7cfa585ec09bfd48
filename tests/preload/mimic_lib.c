// SPDX-License-Identifier: MIT
/*
 * A libc below the preload library whose SMC sockets are TCP sockets that behave like SMC: they
 * report, refuse, confuse and lose the same things as the kernel's (net/smc/af_smc.c).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "tests/libc.h"
#include "ld_pre_smc/next.h"

#define MOST 8192
#ifndef SO_TXREHASH
#define SO_TXREHASH 74
#endif

/* Requested by socket(): domain << 16 | protocol + 1; 0 for all others. */
static atomic_int kinds[MOST];

/* SMC forgets its peer at shutdown(). */
static atomic_bool is_shut[MOST];

static int kind(int fd)
{
	return fd >= 0 && fd < MOST ? kinds[fd] : 0;
}

/* Type of the flags of sendmmsg(2). */
#ifdef __GLIBC__
typedef int sendmmsg_flags;
#else
typedef unsigned int sendmmsg_flags;
#endif

static bool is_af_smc(int fd)
{
	return kind(fd) >> 16 == 43;
}

static int refuse(int err)
{
	errno = err;
	return -1;
}

int socket(int domain, int type, int protocol)
{
	bool smc = domain == 43, inet = protocol == 256;
	int family = protocol ? AF_INET6 : AF_INET, fd;

	/* A kernel without SMC. */
	if ((smc || inet) && getenv("MIMIC_REFUSE"))
		return refuse(EAFNOSUPPORT);
	fd = (int)syscall(SYS_socket, smc ? family : domain, type, smc || inet ? 0 : protocol);
	if (fd >= 0 && fd < MOST) {
		kinds[fd] = smc || inet ? domain << 16 | (protocol + 1) : 0;
		is_shut[fd] = false;
	}
	return fd;
}

int getpeername(int fd, struct sockaddr *addr, socklen_t *len)
{
	return kind(fd) && is_shut[fd] ? refuse(ENOTCONN) :
					 (int)syscall(SYS_getpeername, fd, addr, len);
}

/* After shutdown() the last link breaks, and the kernel releases the TCP socket within. */
static bool is_released(int fd)
{
	return kind(fd) && is_shut[fd] && getenv("MIMIC_GONE");
}

/* Linux 6.12 crashes. */
int getsockname(int fd, struct sockaddr *addr, socklen_t *len)
{
	if (is_released(fd))
		abort();
	return (int)syscall(SYS_getsockname, fd, addr, len);
}

/* Number of close() and shutdown() of SMC sockets, with signals blocked, and without. */
extern atomic_int mimic_calm, mimic_exposed;
atomic_int mimic_calm, mimic_exposed;

static void look_at_signals(int fd)
{
	sigset_t now;

	if (!kind(fd) || sigprocmask(SIG_SETMASK, NULL, &now))
		return;
	if (sigismember(&now, SIGALRM))
		mimic_calm++;
	else
		mimic_exposed++;
}

int shutdown(int fd, int how)
{
	int listens = 0;
	socklen_t len = sizeof(listens);

	look_at_signals(fd);
	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len);
	if (kind(fd) && listens)
		return refuse(how < SHUT_RD || how > SHUT_RDWR ? EINVAL : ENOTCONN);
	if (kind(fd) && how != SHUT_RD)
		is_shut[fd] = true;
	return (int)syscall(SYS_shutdown, fd, how);
}

int close(int fd)
{
	look_at_signals(fd);
	if (fd >= 0 && fd < MOST)
		kinds[fd] = 0;
	return (int)syscall(SYS_close, fd);
}

static int copy_kind(int from, int to)
{
	if (to >= 0 && to < MOST)
		kinds[to] = kind(from);
	return to;
}

int dup(int from)
{
	return copy_kind(from, (int)syscall(SYS_dup, from));
}

/* Both names, as the headers redirect one to the other. */
int mimic_fcntl(int fd, int command, ...) __asm__("fcntl");
int mimic_fcntl64(int fd, int command, ...) __asm__("fcntl64");

int mimic_fcntl(int fd, int command, ...)
{
	va_list ap;
	void *arg;
	int ret;

	va_start(ap, command);
	arg = va_arg(ap, void *);
	va_end(ap);
	ret = (int)syscall(SYS_fcntl, fd, command, arg);
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copy_kind(fd, ret) : ret;
}

int mimic_fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));

/* A socket of this process that it passed to itself. */
ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t ret = syscall(SYS_recvmsg, fd, message, flags);
	struct cmsghdr *header = ret > 0 ? CMSG_FIRSTHDR(message) : NULL;
	struct stat passed, other;
	int number;

	if (!header || header->cmsg_type != SCM_RIGHTS)
		return ret;
	memcpy(&number, CMSG_DATA(header), sizeof(number));
	for (int i = 0; i < MOST && !fstat(number, &passed); i++) {
		if (kinds[i] && !fstat(i, &other) && passed.st_ino == other.st_ino)
			kinds[number] = kinds[i];
	}
	return ret;
}

/* With MIMIC_SHORT, writes of SMC are incomplete. */
static bool is_short(int fd)
{
	return kind(fd) && getenv("MIMIC_SHORT");
}

/* A blocking write ends once the buffer is full. */
ssize_t send(int fd, const void *data, size_t len, int flags)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

	if (is_short(fd) && !(flags & MSG_DONTWAIT)) {
		flags |= MSG_DONTWAIT;
		poll(&poll_fd, 1, -1);
	}
	return syscall(SYS_sendto, fd, data, len, flags, NULL, 0);
}

/* SMC keeps the error for SO_ERROR. */
ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct pollfd poll_fd = { .fd = fd };

	return is_short(fd) && poll(&poll_fd, 1, 0) > 0 && poll_fd.revents & POLLERR ?
		       refuse(ECONNRESET) :
		       syscall(SYS_sendmsg, fd, message, flags);
}

/* One message per call, all but a byte of it, into a socket of SMC. */
int sendmmsg(int fd, struct mmsghdr *messages, unsigned int n, sendmmsg_flags flags)
{
	if (!is_short(fd) || !n)
		return (int)syscall(SYS_sendmmsg, fd, messages, n, flags);
	messages->msg_len = (unsigned int)messages->msg_hdr.msg_iov->iov_len - 1;
	return 1;
}

int dup3(int from, int to, int flags)
{
	int ret = (int)syscall(SYS_dup3, from, to, flags);

	if (ret >= 0 && to < MOST)
		kinds[to] = kind(from);
	return ret;
}

/* A connection reset by its client: SMC's are dead after their handshake. */
static bool is_gone(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* With MIMIC_PATIENT, wait a moment for the client to go. */
static bool will_be_gone(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLRDHUP };

	if (getenv("MIMIC_PATIENT"))
		poll(&poll_fd, 1, 5);
	return is_gone(fd);
}

static int take(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	int ret = (int)syscall(SYS_accept4, fd, addr, len, flags);

	while (ret >= 0 && kind(fd) && will_be_gone(ret)) {
		syscall(SYS_close, ret);
		ret = (int)syscall(SYS_accept4, fd, addr, len, flags);
	}
	/* IPPROTO_SMC sockets report AF_SMC, too. */
	if (ret >= 0 && ret < MOST)
		kinds[ret] = kind(fd) ? 43 << 16 | (kind(fd) & 0xffff) : 0;
	return ret;
}

int accept(int fd, struct sockaddr *addr, socklen_t *len)
{
	return take(fd, addr, len, 0);
}

int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	return take(fd, addr, len, flags);
}

static bool is_refused(int fd, int level, int name, const void *value)
{
	if (level == IPPROTO_TCP)
		return name == TCP_ULP;
	if (level != SOL_SOCKET)
		return false;
	return name == SO_ZEROCOPY || name == SO_PEEK_OFF || name == SO_TXREHASH ||
	       (name == SO_REUSEPORT && is_af_smc(fd) && *(const int *)value);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	int ret;

	if (kind(fd) && is_refused(fd, level, name, value))
		return refuse(EOPNOTSUPP);
	/* A connection that fell back: no wake-up. */
	if (kind(fd) && level != SOL_SOCKET &&
	    (name == 23 || name == 30 || name == 33 || name == 34))
		return refuse(EINVAL);
	ret = (int)syscall(SYS_setsockopt, fd, level, name, value, len);
	return !ret && kind(fd) && level != SOL_SOCKET && len < 4 ? refuse(EINVAL) : ret;
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	int ret;

	if (level == IPPROTO_TCP && is_released(fd))
		return refuse(EBADF);
	ret = (int)syscall(SYS_getsockopt, fd, level, name, value, len);
	if (!ret && kind(fd) && level == SOL_SOCKET && name == SO_DOMAIN)
		*(int *)value = kind(fd) >> 16;
	if (!ret && kind(fd) && level == SOL_SOCKET && name == SO_PROTOCOL)
		*(int *)value = (kind(fd) & 0xffff) - 1;
	return ret;
}

SHIM_TIME64(setsockopt, __setsockopt64);
SHIM_TIME64(getsockopt, __getsockopt64);

/* Lose the time of SO_LINGER. */
static void spoil_linger(int fd)
{
	struct linger linger = { 0 };
	socklen_t len = sizeof(linger);

	if (!kind(fd) || syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_LINGER, &linger, &len))
		return;
	linger.l_linger = 0;
	syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

int listen(int fd, int backlog)
{
	spoil_linger(fd);
	return (int)syscall(SYS_listen, fd, backlog);
}

int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	spoil_linger(fd);
	if (kind(fd) && addr && addr->sa_family == AF_UNSPEC)
		return refuse(EINVAL);
	return (int)syscall(SYS_connect, fd, addr, len);
}

/* Number of socket calls on other files. */
extern atomic_int mimic_strange;
atomic_int mimic_strange;

#ifdef __GLIBC__
int ioctl(int fd, unsigned long request, ...)
#else
int ioctl(int fd, int request, ...)
#endif
{
	struct stat file;
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	mimic_strange +=
		request >> 8 == 0x89 && !kind(fd) && !fstat(fd, &file) && !S_ISSOCK(file.st_mode);
	if (kind(fd) && (request == 0x8906 || request == 0x8915 || request == 0x891b))
		return refuse(ENOTTY);
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

SHIM_TIME64(ioctl, __ioctl_time64);

/* MIMIC_CLOCK: sleeping takes no time, but is printed; MIMIC_SLOW: timeouts take longer. */
static atomic_llong slept;
#define SLOW 64

int nanosleep(const struct timespec *time, struct timespec *left)
{
	if (!getenv("MIMIC_CLOCK"))
		return (int)syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, time, left);
	slept += time->tv_sec * 1000000000LL + time->tv_nsec;
	dprintf(STDOUT_FILENO, "%lld\n", slept);
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int ret = (int)syscall(SYS_clock_gettime, clock, now);

	if (clock == CLOCK_MONOTONIC && getenv("MIMIC_SLOW")) {
		now->tv_nsec = (long)((now->tv_sec % SLOW * 1000000000LL + now->tv_nsec) / SLOW);
		now->tv_sec /= SLOW;
	}
	now->tv_sec += slept / 1000000000;
	return ret;
}

ssize_t splice(int in, loff_t *in_pos, int out, loff_t *out_pos, size_t len, unsigned int flags)
{
	if (kind(in) && !in_pos && out != in)
		abort();
	return syscall(SYS_splice, in, in_pos, out, out_pos, len, flags);
}
