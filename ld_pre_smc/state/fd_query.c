// SPDX-License-Identifier: MIT
/* Query the kernel about a descriptor; fd_table.h has the library's own marks. */
#include "ld_pre_smc/state/fd_query.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"

/* 32-bit RISC-V has only ever had 64-bit times. */
#ifdef SYS_ppoll
typedef long ppoll_time;
#else
#define SYS_ppoll SYS_ppoll_time64
typedef long long ppoll_time;
#endif

/* Number of descriptors per poll(2). */
#define BLOCK 128

const char *const shim_kind_names[KINDS + 1] = {
	[KIND_AF_SMC] = "AF_SMC",
	[KIND_INET] = "IPPROTO_SMC",
	[KIND_TCP] = "TCP",
};

int shim_int_option(int fd, int level, int name)
{
	AUTO_ERRNO();
	int value = -1;
	socklen_t len = sizeof(value);

	return next_getsockopt(fd, level, name, &value, &len) || len != sizeof(value) ? -1 : value;
}

static int name_family(int fd)
{
	struct sockaddr_storage name = { 0 };
	socklen_t len = sizeof(name);
	AUTO_ERRNO();

	return getsockname(fd, (struct sockaddr *)&name, &len) ? AF_INET : name.ss_family;
}

bool shim_is_smc(int fd, struct shim_sock *sock)
{
	int protocol = shim_int_option(fd, SOL_SOCKET, SO_PROTOCOL), domain;
	bool inet = protocol == IPPROTO_SMC;

	if (!inet && protocol != SMCPROTO_SMC && protocol != SMCPROTO_SMC6)
		return false;
	if (inet && !sock)
		return true;
	domain = shim_int_option(fd, SOL_SOCKET, SO_DOMAIN);
	if (!inet && domain != AF_SMC)
		return false;
	if (!sock)
		return true;
	sock->kind = inet ? KIND_INET : KIND_AF_SMC;
	if (!inet)
		sock->family = protocol == SMCPROTO_SMC6 ? AF_INET6 : AF_INET;
	else /* accepted ones report AF_SMC */
		sock->family = domain == AF_SMC ? name_family(fd) : domain;
	return true;
}

int shim_tcp_state(int fd)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);
	AUTO_ERRNO();

	if (next_getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return -1;
	return len > offsetof(struct tcp_info, tcpi_state) ? info.tcpi_state : -1;
}

bool shim_is_tcp_active(int fd)
{
	int state = shim_tcp_state(fd);

	return state > 0 && state != TCP_CLOSE && state != TCP_LISTEN;
}

bool shim_is_connected(int fd)
{
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	AUTO_ERRNO();

	return !next_getpeername(fd, (struct sockaddr *)&name, &len);
}

/* A system call, as libc's poll() is a cancellation point and the callers are not. */
static void poll_now(struct pollfd *fds, int n)
{
	ppoll_time now[2] = { 0 };
	AUTO_ERRNO();

	syscall(SYS_ppoll, fds, n, now, NULL, 0);
}

int shim_events(int fd, int events)
{
	struct pollfd poll = { .fd = fd, .events = (short)events };

	poll_now(&poll, 1);
	return poll.revents;
}

int shim_wait(int fd, int events, long long end, const void *mask)
{
	struct pollfd poll = { .fd = fd, .events = (short)events };
	long long left = MAX(end - shim_milliseconds(), 0);
	const struct timespec time = { .tv_sec = (time_t)(left / 1000),
				       .tv_nsec = left % 1000 * 1000000 };

	return ppoll(&poll, 1, &time, mask) < 0 ? -1 : poll.revents;
}

int shim_send_timeout(int fd, struct timeval *time)
{
	socklen_t len = sizeof(*time);

	if (next_getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, time, &len) ||
	    (!time->tv_sec && !time->tv_usec))
		return -1;
	if (time->tv_sec >= SHIM_HIDDEN && time->tv_sec <= SHIM_HIDDEN + INT_MAX / 1000)
		time->tv_sec -= SHIM_HIDDEN;
	if (time->tv_sec > INT_MAX / 1000 - 1)
		return INT_MAX;
	return (int)(time->tv_sec * 1000 + (time->tv_usec + 999) / 1000);
}

/* poll(2) accepts no more than the process's limit of descriptors. */
static int block_size(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? BLOCK : (int)MIN(limit.rlim_cur, BLOCK);
}

void shim_each_open(void (*visit)(int fd, void *arg), void *arg)
{
	int first, i, n = block_size();
	struct pollfd fds[BLOCK];
	bool any = true;

	/* If poll() itself fails, all descriptors look closed. */
	for (first = 0; any && n; first += n) {
		any = false;
		for (i = 0; i < n; i++)
			fds[i] = (struct pollfd){ .fd = first + i, .revents = POLLNVAL };
		poll_now(fds, n);
		for (i = 0; i < n; i++) {
			if (fds[i].revents & POLLNVAL)
				continue;
			any = true;
			visit(fds[i].fd, arg);
		}
	}
}

/* glibc's own fstat() uses this call, too. Recent architectures only have statx(2). */
int shim_stat(int fd, const char *path, struct stat *st)
{
#if defined(SYS_newfstatat)
	return (int)syscall(SYS_newfstatat, fd, path, st, AT_EMPTY_PATH);
#elif defined(SYS_fstatat64)
	return (int)syscall(SYS_fstatat64, fd, path, st, AT_EMPTY_PATH);
#else
	return fstatat(fd, path, st, AT_EMPTY_PATH);
#endif
}

bool shim_is_file(int fd, const char *path, const struct stat *st)
{
	struct stat now;

	return !shim_stat(fd, path, &now) && now.st_dev == st->st_dev && now.st_ino == st->st_ino;
}

int shim_file_has(int dir, const char *path, const char *text)
{
	int fd = (int)syscall(SYS_openat, dir, path, O_RDONLY | O_CLOEXEC);
	size_t len = strlen(text), have = 0;
	bool found = false;
	char piece[2048];
	long n = 0;

	if (fd < 0)
		return -errno;
	while (!found && (n = syscall(SYS_read, fd, piece + have, sizeof(piece) - have)) > 0) {
		have += (size_t)n;
		found = memmem(piece, have, text, len);
		/* The text may be split between two reads. */
		if (have >= len) {
			memmove(piece, piece + have - len, len);
			have = len;
		}
	}
	shim_close(fd);
	return n < 0 ? -errno : found;
}

long long shim_milliseconds(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

unsigned int shim_seconds(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (unsigned int)now.tv_sec;
}

void shim_nap(void)
{
	ppoll_time millisecond[2] = { 0, 1000000 };
	AUTO_ERRNO();

	syscall(SYS_ppoll, NULL, 0, millisecond, NULL, 0);
}

bool shim_would_restart(void)
{
	struct sigaction action;

	for (int number = 1; number < NSIG; number++) {
		if (sigaction(number, NULL, &action) || action.sa_handler == SIG_DFL ||
		    action.sa_handler == SIG_IGN)
			continue;
		if (!(action.sa_flags & SA_RESTART))
			return false;
	}
	return true;
}

int shim_new_socket(int family, enum shim_kind kind)
{
	const struct shim_socket_args *args = &shim_sockets[kind][family == AF_INET6];

	return next_socket(args->domain, SOCK_STREAM | SOCK_CLOEXEC, args->protocol);
}

void shim_close(int fd)
{
	AUTO_ERRNO();

	syscall(SYS_close, fd);
}
