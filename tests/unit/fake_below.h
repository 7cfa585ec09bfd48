/* SPDX-License-Identifier: MIT */
/*
 * Scripted system below the preload library: sockets are only descriptions. Tests compare what a
 * call returns, and what it leaves: see comes_to() at the end. Include once per program, which
 * links all of the library except config.c: the settings of the environment are set here, too.
 */
#pragma once

#include "test.h"

#include <dlfcn.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <setjmp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

#include "base/syscalls.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/next.h"
#include "process/sockopt_numbers.h"
#include "smc/keep.h"

#define FAKE_FDS 16
#define FAKE_FILE 15
#define FAKE_ANY (-2) /* each socket has the option, until it is set */
#define ERRNO_BEFORE 77
#define ERRNO_NOISE ENOLCK /* of calls that succeed: they may change it, too */

#ifndef SYS_ppoll
#define SYS_ppoll SYS_ppoll_time64
#endif
#ifndef SYS_newfstatat
#define SYS_newfstatat SYS_fstatat64
#endif

/**
 * struct fake_fd - an open file
 * @domain, @protocol: of a socket; other files have no SO_PROTOCOL
 * @state: of the TCP connection; @error: SO_ERROR, cleared when read; @revents: of poll(2)
 * @flags: O_NONBLOCK and so on; @fd_flags: FD_CLOEXEC
 * @unsent: bytes, or a negative errno
 * @name: of getsockname(2), family 0 for "any"
 * What the library has done to it, successfully:
 * @is_bound, @port: by bind(2); @backlog: of listen(2); @shut: SHUT_RD is 1, SHUT_WR 2
 * @connects: number of calls; @is_locked: by fcntl(2); @watchers: epoll instances, a bit each
 * @bytes_in, @bytes_out: read and written; @send_flags: of the latest write
 */
struct fake_fd {
	bool is_open, is_socket, is_epoll, is_connected, is_bound, is_locked;
	int domain, protocol, state, error, revents, flags, fd_flags, unsent, signal, owner;
	unsigned int ino, mode, watchers;
	struct sockaddr_in name;
	int port, backlog, shut, connects, send_flags;
	long bytes_in, bytes_out;
};

struct fake_option {
	int fd, level, name;
	socklen_t len;
	char value[64];
};

/**
 * struct fake - the script, and what came of it
 * @on: if not, calls reach libc
 * @ms: the clock, which only advances when waiting
 * @retransmitted: by TCP, on any socket; @most: limit for a buffer, 0 for none
 * @pid: of this process, 0 for the real one; @first: lowest number for socket() to return
 * @args: of the current system call
 * @files: files below /proc that can be opened, by the beginning of the path; text NULL: no such
 *	file
 * @file_fd: their number, usually FAKE_FILE; @n_files: of these, still open; @open_flags,
 *	@open_mode: of the latest; @rest: its unread part
 * @device_flags: SIOCGIFFLAGS of any device
 * @parent_ino: of the parent's file under the number in question
 * @answers: to calls that begin so; the latest match counts
 * @calls: number of those that may change something, since comes_to(); @queries: of the others
 * @opened: number of sockets, by kind; @said: lines on standard error
 * @watched: the event of the latest watch
 * @is_blocked: all signals are; @closed, @quiet: numbers that were closed since comes_to(), and
 *	those while signals were blocked, a bit each
 * @was: the state before the latest comes_to()
 */
static struct fake {
	bool on;
	long long ms;
	unsigned int inos, parent_ino, retransmitted;
	short device_flags;
	int most, pid, first;
	const long *args;
	struct shim_config config;
	struct rules rules;
	struct fake_fd fds[FAKE_FDS];
	struct fake_option options[64];
	size_t n_options, n_answers;
	struct {
		const char *path, *text;
	} files[12];
	const char *rest;
	int file_fd, n_files, open_flags, open_mode;
	struct {
		const char *call;
		int ret, err, times;
		void (*then)(void);
	} answers[16];
	int calls, queries, opened[KINDS + 1];
	struct epoll_event watched;
	bool is_blocked;
	unsigned int closed, quiet;
	struct {
		struct fake_fd fds[FAKE_FDS];
		struct fake_option options[64];
		size_t n_options;
	} was;
	char said[1024];
} fake;

const struct shim_config *shim_config_get(struct shim_config *own)
{
	return &fake.config;
}

const struct rules *shim_rules_get(struct rules *own)
{
	return &fake.rules;
}

static inline struct fake_fd *fake_fd(int fd)
{
	return fd >= 0 && fd < FAKE_FDS && fake.fds[fd].is_open ? &fake.fds[fd] : NULL;
}

/* An unconnected socket under that number. */
static inline struct fake_fd *fake_socket(int fd, int domain, int protocol)
{
	fake.fds[fd] = (struct fake_fd){
		.is_open = true,
		.is_socket = true,
		.domain = domain,
		.protocol = protocol,
		.state = TCP_CLOSE,
		.flags = O_RDWR,
		.ino = ++fake.inos,
		.mode = S_IFSOCK,
	};
	return &fake.fds[fd];
}

/* The next @times calls of this kind fail with this errno. */
static inline void fake_fails(const char *call, int err, int times)
{
	while (fake.n_answers && !fake.answers[fake.n_answers - 1].times)
		fake.n_answers--;
	assert_true(fake.n_answers < ARRAY_SIZE(fake.answers));
	fake.answers[fake.n_answers].call = call;
	fake.answers[fake.n_answers].ret = -1;
	fake.answers[fake.n_answers].err = err;
	fake.answers[fake.n_answers].then = NULL;
	fake.answers[fake.n_answers++].times = times;
}

/* Run a function when the calls of the last fake_fails() are made. */
static inline void fake_then(void (*then)(void))
{
	fake.answers[fake.n_answers - 1].then = then;
}

/* The next @times calls of this kind return @ret, after a function has run. */
static inline void fake_gives(const char *call, int ret, int times, void (*then)(void))
{
	fake_fails(call, 0, times);
	fake.answers[fake.n_answers - 1].ret = ret;
	fake_then(then);
}

static inline int fake_answer(const char *line, int otherwise)
{
	for (size_t i = fake.n_answers; i--;) {
		if (!fake.answers[i].times ||
		    strncmp(line, fake.answers[i].call, strlen(fake.answers[i].call)))
			continue;
		fake.answers[i].times--;
		if (fake.answers[i].then)
			fake.answers[i].then();
		if (fake.answers[i].err)
			errno = fake.answers[i].err;
		return fake.answers[i].ret;
	}
	return otherwise;
}

/* Call this after a call of the program in which a call below has changed errno. */
static inline void fake_forgive(void)
{
	errno = errno == ERRNO_NOISE ? ERRNO_BEFORE : errno;
}

/* A call that returns @otherwise unless scripted. */
static inline __attribute__((format(printf, 2, 3))) int fake_call(int otherwise, const char *fmt,
								  ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fake.calls++;
	return fake_answer(line, otherwise);
}

/* A function below the library that only returns what the script says. */
#define FAKE_CALL(type, name, params, ...)                                                         \
	static inline type fake_##name params                                                      \
	{                                                                                          \
		return fake_call(__VA_ARGS__);                                                     \
	}

static inline int fake_refuse(int err)
{
	errno = err;
	return -1;
}

/* ---- options ---- */

static inline void fake_option(int fd, int level, int name, const void *value, socklen_t len)
{
	size_t i;

	for (i = 0; i < fake.n_options; i++) {
		if (fake.options[i].fd == fd && fake.options[i].level == level &&
		    fake.options[i].name == name)
			break;
	}
	assert_true(i < ARRAY_SIZE(fake.options) && len <= sizeof(fake.options[i].value));
	fake.n_options += i == fake.n_options;
	fake.options[i].fd = fd;
	fake.options[i].level = level;
	fake.options[i].name = name;
	fake.options[i].len = len;
	memcpy(fake.options[i].value, value, len);
}

static inline void fake_int(int fd, int level, int name, int value)
{
	fake_option(fd, level, name, &value, sizeof(value));
}

static inline const struct fake_option *fake_find_option(const struct fake_option *all, size_t n,
							 int fd, int level, int name)
{
	for (; n; n--, all++) {
		if (all->fd == fd && all->level == level && all->name == name)
			return all;
	}
	return NULL;
}

static inline const struct fake_option *fake_option_of(int fd, int level, int name)
{
	return fake_find_option(fake.options, fake.n_options, fd, level, name);
}

/* The value of an option, without a call; -1 if it was not set. */
static inline int option_of(int fd, int level, int name)
{
	const struct fake_option *option = fake_option_of(fd, level, name);
	int value = -1;

	if (option)
		memcpy(&value, option->value, sizeof(value));
	return value;
}

static inline int fake_give_int(int number, void *value, socklen_t *len)
{
	*len = *len < sizeof(number) ? *len : sizeof(number);
	memcpy(value, &number, *len);
	return 0;
}

/* Number of a socket option on most architectures: powerpc numbers six of them differently. */
static inline int fake_name(int level, int name)
{
#ifdef __powerpc__
	if (level == SOL_SOCKET && name >= 16 && name <= 21)
		return 16 + (name - 14) % 6;
#endif
	return name;
}

static inline int fake_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	struct tcp_info info = { .tcpi_total_retrans = fake.retransmitted };
	const struct fake_option *option = fake_option_of(fd, level, name);
	struct fake_fd *file = fake_fd(fd);
	char line[64];
	int err;

	fake.queries++;
	errno = ERRNO_NOISE;
	snprintf(line, sizeof(line), "getsockopt %d %d %d", fd, level, fake_name(level, name));
	if (fake_answer(line, 0))
		return -1;
	if (!file || !file->is_socket)
		return fake_refuse(file ? ENOTSOCK : EBADF);
	if (level == SOL_SOCKET && name == SO_PROTOCOL)
		return fake_give_int(file->protocol, value, len);
	if (level == SOL_SOCKET && name == SO_DOMAIN)
		return fake_give_int(file->domain, value, len);
	if (level == SOL_SOCKET && name == SO_ERROR) {
		err = file->error;
		file->error = 0;
		return fake_give_int(err, value, len);
	}
	option = option ? option : fake_option_of(FAKE_ANY, level, name);
	if (option) {
		*len = *len < option->len ? *len : option->len;
		memcpy(value, option->value, *len);
		return 0;
	}
	if (level != IPPROTO_TCP || name != TCP_INFO)
		return fake_refuse(ENOPROTOOPT);
	info.tcpi_state = (uint8_t)file->state;
	info.tcpi_sacked = 7; /* the backlog of a listener */
	memcpy(value, &info, sizeof(info));
	*len = sizeof(info);
	return 0;
}

/* The kernel doubles the size of a buffer, up to a limit unless it is forced, and locks it. */
static inline void fake_keep(int fd, int level, int name, const void *value, socklen_t len)
{
	bool is_send = name == SO_SNDBUF || name == SO_SNDBUFFORCE;
	bool is_receive = name == SO_RCVBUF || name == SO_RCVBUFFORCE;
	bool is_forced = name == SO_SNDBUFFORCE || name == SO_RCVBUFFORCE;
	int bytes, locks = option_of(fd, SOL_SOCKET, SO_BUF_LOCK);

	if (level != SOL_SOCKET || (!is_send && !is_receive)) {
		fake_option(fd, level, name, value, len);
		return;
	}
	memcpy(&bytes, value, sizeof(bytes));
	fake_int(fd, level, is_send ? SO_SNDBUF : SO_RCVBUF,
		 2 * (!is_forced && fake.most && bytes > fake.most ? fake.most : bytes));
	if (locks >= 0)
		fake_int(fd, SOL_SOCKET, SO_BUF_LOCK, locks | (is_send ? 1 : 2));
}

static inline int fake_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	int ret = fake_call(0, "setsockopt %d %d %d", fd, level, fake_name(level, name));

	if (!ret) {
		fake_keep(fd, level, name, value, len);
		errno = ERRNO_NOISE;
	}
	return ret;
}

/* ---- sockets ---- */

static inline int fake_open(int domain, int type, int protocol)
{
	int fd = fake.first, ret, is_smc = domain == AF_SMC || protocol == 256;

	while (fake.fds[fd].is_open)
		fd++;
	ret = fake_call(fd, "socket %d %d %d", domain, type, protocol);
	if (ret != fd)
		return ret;
	fake_socket(fd, domain, is_smc ? protocol : IPPROTO_TCP)->fd_flags =
		type & SOCK_CLOEXEC ? FD_CLOEXEC : 0;
	fake.fds[fd].flags |= type & SOCK_NONBLOCK ? O_NONBLOCK : 0;
	fake.opened[!is_smc ? KIND_TCP : protocol == 256 ? KIND_INET : KIND_AF_SMC]++;
	return fd;
}

static inline void fake_shut(int fd)
{
	if (fake_fd(fd)) {
		fake.fds[fd].is_open = false;
		fake.closed |= 1U << fd;
		fake.quiet |= fake.is_blocked ? 1U << fd : 0;
	}
	for (size_t i = 0; i < fake.n_options; i++)
		fake.options[i].fd = fake.options[i].fd == fd ? -1 : fake.options[i].fd;
}

static inline int fake_close(int fd)
{
	int ret = fake_call(fake_fd(fd) ? 0 : -1, "close %d", fd);

	fake_shut(fd);
	return ret;
}

static inline int fake_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	struct fake_fd *file = fake_fd(fd);
	bool at_once = file && file->flags & O_NONBLOCK;

	if (file)
		file->connects++;
	return fake_call(0, "connect %d %d%s", fd, addr ? addr->sa_family : -1,
			 at_once ? " at once" : "");
}

static inline int fake_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	struct sockaddr_in in;
	int ret;

	memcpy(&in, addr, sizeof(in));
	if (!in.sin_port && fake_fd(fd) && fake.fds[fd].name.sin_port)
		return fake_refuse(EINVAL);
	ret = fake_call(0, "bind %d %d", fd, ntohs(in.sin_port));
	if (!ret && len < sizeof(in))
		return fake_refuse(EINVAL);
	if (!ret && fake_fd(fd)) {
		fake.fds[fd].is_bound = true;
		fake.fds[fd].port = ntohs(in.sin_port);
	}
	return ret;
}

static inline int fake_listen(int fd, int backlog)
{
	int ret = fake_call(0, "listen %d %d", fd, backlog);

	if (!ret && fake_fd(fd))
		fake.fds[fd].backlog = backlog;
	return ret;
}

FAKE_CALL(int, accept, (int fd, struct sockaddr *addr, socklen_t *len), 12, "accept %d", fd)
FAKE_CALL(int, accept4, (int fd, struct sockaddr *addr, socklen_t *len, int flags), 12,
	  "accept4 %d %d", fd, flags)

static inline int fake_dup_to(int ret, int from, int to)
{
	if (ret < 0 || !fake_fd(from))
		return ret < 0 ? ret : fake_refuse(EBADF);
	if (from == to)
		return to;
	fake_shut(to);
	fake.fds[to] = fake.fds[from];
	for (size_t i = 0, n = fake.n_options; i < n; i++) {
		if (fake.options[i].fd == from)
			fake_option(to, fake.options[i].level, fake.options[i].name,
				    fake.options[i].value, fake.options[i].len);
	}
	return to;
}

static inline int fake_dup(int from)
{
	return fake_dup_to(fake_call(0, "dup %d", from), from, 11);
}

static inline int fake_dup2(int from, int to)
{
	return fake_dup_to(fake_call(0, "dup2 %d %d", from, to), from, to);
}

static inline int fake_dup3(int from, int to, int flags)
{
	int ret = fake_dup_to(fake_call(0, "dup3 %d %d %d", from, to, flags), from, to);

	assert_false(flags & ~O_CLOEXEC);
	if (ret >= 0)
		fake.fds[to].fd_flags = flags & O_CLOEXEC ? FD_CLOEXEC : 0;
	return ret;
}

static inline int fake_shutdown(int fd, int how)
{
	int ret = fake_call(0, "shutdown %d %d", fd, how);

	if (!ret && fake_fd(fd))
		fake.fds[fd].shut |= how + 1;
	return ret;
}

static inline int fake_ioctl(int fd, unsigned long request, void *arg)
{
	if (request == SIOCGIFFLAGS) {
		((struct ifreq *)arg)->ifr_flags = fake.device_flags;
		errno = ERRNO_NOISE;
		return 0;
	}
	if (request != 0x894b)
		return fake_call(0, "ioctl %d %#lx", fd, request);
	if (!fake_fd(fd))
		return fake_refuse(EBADF);
	if (fake.fds[fd].unsent < 0)
		return fake_refuse(-fake.fds[fd].unsent);
	*(int *)arg = fake.fds[fd].unsent;
	errno = ERRNO_NOISE;
	return 0;
}

static inline int fake_get_flags(struct fake_fd *file, int command, void *arg)
{
	struct f_owner_ex owner = { .type = F_OWNER_PID, .pid = file->owner };

	fake.queries++;
	errno = command == F_GETFD || command == F_GETFL ? ERRNO_NOISE : errno;
	switch (command) {
	case F_GETFL: return file->flags;
	case F_GETFD: return file->fd_flags;
	case F_GETSIG: return file->signal;
	case F_GETOWN_EX: memcpy(arg, &owner, sizeof(owner)); return 0;
	default: fake.queries--; return -2;
	}
}

static inline int fake_fcntl(int fd, int command, void *arg)
{
	struct fake_fd *file = fake_fd(fd);
	struct f_owner_ex owner;
	bool locks;
	int ret = file ? fake_get_flags(file, command, arg) : fake_refuse(EBADF);

	if (ret != -2)
		return ret;
	if (command == F_SETOWN_EX) {
		memcpy(&owner, arg, sizeof(owner));
		ret = fake_call(0, "owner %d %d", fd, owner.pid);
		file->owner = ret ? file->owner : owner.pid;
		return ret;
	}
	/* The library's own number, if this program uses that of large files: on ppc64el. */
	if (command == (sizeof(long) == 8 ? 6 : F_SETLK)) {
		locks = ((struct flock *)arg)->l_type == F_WRLCK;
		ret = fake_call(0, "lock %d %d", fd, locks);
		file->is_locked = ret ? file->is_locked : locks;
		return ret;
	}
	ret = fake_call(0, "fcntl %d %d %ld", fd, command, (long)(intptr_t)arg);
	if (!ret && command == F_SETSIG)
		file->signal = (int)(intptr_t)arg;
	if (!ret && command == F_SETFL) {
		file->flags = (int)(intptr_t)arg;
		errno = ERRNO_NOISE;
	}
	return ret;
}

static inline int fake_close_range(unsigned int first, unsigned int last, int flags)
{
	int ret = fake_call(0, "close_range %u %u %d", first, last, flags);

	for (unsigned int fd = first; !flags && fd < FAKE_FDS && fd <= last; fd++)
		fake_shut((int)fd);
	return ret;
}

static inline void fake_closefrom(int low)
{
	fake_close_range(low < 0 ? 0 : (unsigned int)low, ~0U, 0);
}

FAKE_CALL(int, prctl,
	  (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d), 0,
	  "prctl %d %lu %lu %lu", option, b, c, d)
FAKE_CALL(int, epoll_create, (int size), 13, "epoll_create %d", size)
FAKE_CALL(int, epoll_create1, (int flags), 13, "epoll_create1 %d", flags)
static inline ssize_t fake_splice(int in, loff_t *in_pos, int out, loff_t *out_pos, size_t len,
				  unsigned int flags)
{
	if (fake_fd(out))
		fake.fds[out].send_flags = (int)flags;
	return fake_call(3, "splice %d %d %d %d %zu %u", in, in_pos != NULL, out, out_pos != NULL,
			 len, flags);
}

/* Bytes that were written. */
static inline ssize_t fake_wrote(int fd, int n, int flags)
{
	if (n > 0 && fake_fd(fd)) {
		fake.fds[fd].bytes_out += n;
		fake.fds[fd].send_flags = flags;
	}
	return n;
}

static inline ssize_t fake_send(int fd, const void *data, size_t len, int flags)
{
	int n = fake_call((int)len, "send %d %d %zu %d", fd, data != NULL, len, flags);

	return fake_wrote(fd, n, flags);
}

FAKE_CALL(ssize_t, sendfile, (int out, int in, void *pos, size_t len), (int)len,
	  "sendfile %d %d %d %zu", out, in, pos != NULL, len)

static inline pid_t fake_fork(void)
{
	int pid = fake_call(4711, "fork");

	if (pid >= 0)
		errno = ECHILD; /* of another handler, for example */
	return pid;
}

/* ---- libc ---- */

int getsockname(int fd, struct sockaddr *addr, socklen_t *len)
{
	struct sockaddr_in6 name = { 0 };
	struct fake_fd *file = fake_fd(fd);
	socklen_t size = sizeof(struct sockaddr_in);

	fake.queries++;
	if (!file)
		return fake_refuse(EBADF);
	if ((int)*len < 0)
		return fake_refuse(EINVAL);
	memcpy(&name, &file->name, sizeof(file->name));
	if (!name.sin6_family)
		name.sin6_family = AF_INET;
	if (!file->name.sin_family && (file->protocol == 1 || file->domain == AF_INET6))
		name.sin6_family = AF_INET6;
	if (name.sin6_family == AF_INET6)
		size = sizeof(name);
	memcpy(addr, &name, *len < size ? *len : size);
	*len = size;
	errno = ERRNO_NOISE;
	return fake_answer("getsockname", 0);
}

static inline int fake_getpeername(int fd, struct sockaddr *addr, socklen_t *len)
{
	fake.queries++;
	if (!fake_fd(fd) || !fake.fds[fd].is_connected)
		return fake_refuse(ENOTCONN);
	fake.queries--;
	return getsockname(fd, addr, len);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	int ret = fake_call((int)n, "poll %d", timeout);

	if (ret > 0 && fake_fd(fds->fd))
		fds->revents = (short)fake.fds[fds->fd].revents & (fds->events | POLLERR | POLLHUP);
	else if (!ret)
		fake.ms += timeout;
	if (ret >= 0)
		errno = ERRNO_NOISE;
	return ret;
}

int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	unsigned int bit = 1U << epfd % 32;
	bool has = fake_fd(fd) && fake.fds[fd].watchers & bit, adds = op == EPOLL_CTL_ADD;
	int ret;

	if (!fake_fd(epfd) || !fake.fds[epfd].is_epoll)
		return fake_refuse(fake_fd(epfd) ? EINVAL : EBADF);
	ret = fake_call(0, "epoll_ctl %d %d %d %#x", epfd, op, fd, event ? event->events : 0);
	if (ret || has == adds)
		return ret ? ret : fake_refuse(has ? EEXIST : ENOENT);
	fake.fds[fd].watchers ^= bit;
	if (adds)
		fake.watched = *event;
	return 0;
}

static inline ssize_t fake_recv(int fd, void *data, size_t len, int flags)
{
	int n = fake_call((int)len, "recv %d %zu %d", fd, len, flags);

	for (int i = 0; i < n; i++)
		((char *)data)[i] = (char)(fake_fd(fd) ? fake.fds[fd].bytes_in + i : 'x');
	if (n > 0 && fake_fd(fd) && !(flags & MSG_PEEK))
		fake.fds[fd].bytes_in += n;
	errno = n < 0 ? errno : ERRNO_NOISE;
	return n;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	fake.ms += time->tv_nsec / 1000000;
	errno = ERRNO_NOISE;
	return fake_call(0, "sleep %ld", time->tv_nsec / 1000000);
}

static inline long real_syscall(long number, const long *args)
{
	static long (*real)(long, ...);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	return real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

static inline ssize_t fake_next_write(int fd, const void *data, size_t len)
{
	int n = fake_call((int)len, "write %d %zu", fd, len);

	/* A pipe gets what was read, in order. */
	for (int i = 0; fake_fd(fd) && S_ISFIFO(fake.fds[fd].mode) && i < n; i++)
		assert_int_equal(((const char *)data)[i], (char)(fake.fds[fd].bytes_out + i));
	errno = n < 0 ? errno : ERRNO_NOISE;
	return fake_wrote(fd, n, 0);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	const long args[6] = { clock, (long)(intptr_t)now };

	if (!fake.on)
		return (int)real_syscall(SYS_clock_gettime, args);
	*now = (struct timespec){ .tv_sec = fake.ms / 1000, .tv_nsec = fake.ms % 1000 * 1000000 };
	return 0;
}

/* ---- system calls ---- */

static inline long fake_poll_now(const long *args)
{
	struct pollfd *fds = (struct pollfd *)(intptr_t)args[0];
	struct rlimit limit;

	fake.queries++;
	errno = ERRNO_NOISE;
	getrlimit(RLIMIT_NOFILE, &limit);
	if ((rlim_t)args[1] > limit.rlim_cur)
		return fake_refuse(EINVAL);
	if (!fds) {
		fake.ms++;
		return fake_call(0, "nap");
	}
	for (long i = 0; i < args[1]; i++) {
		struct fake_fd *file = fake_fd(fds[i].fd);

		fds[i].revents = POLLNVAL;
		if (file)
			fds[i].revents = (short)file->revents & (fds[i].events | POLLERR | POLLHUP);
	}
	return 0;
}

static inline bool fake_find(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(fake.files) && fake.files[i].path; i++) {
		fake.rest = fake.files[i].text;
		if (!strncmp(path, fake.files[i].path, strlen(fake.files[i].path)))
			return true;
	}
	return false;
}

/* The text of a namespace is its number. */
static inline unsigned int fake_ino(const char *path)
{
	if (!fake_find(path))
		return fake.parent_ino;
	return fake.rest ? (unsigned int)atoi(fake.rest) : 0;
}

static inline long fake_open_file(const long *args)
{
	if (!fake.rest)
		return fake_refuse(ENOENT);
	fake.n_files++;
	fake.open_flags = (int)args[2];
	fake.open_mode = (int)args[3];
	return fake.file_fd;
}

static inline long fake_read(const long *args)
{
	size_t len = strlen(fake.rest), most = (size_t)args[2];

	len = len < most ? len : most;
	memcpy((void *)(intptr_t)args[1], fake.rest, len);
	fake.rest += len;
	return (long)len;
}

static inline long fake_stat(const long *args)
{
	const char *path = (const char *)(intptr_t)args[1];
	struct stat *st = (struct stat *)(intptr_t)args[2];
	struct fake_fd *file = fake_fd((int)args[0]);

	fake.queries++;
	memset(st, 0, sizeof(*st));
	if (*path ? !fake_ino(path) : !file)
		return fake_refuse(*path ? ENOENT : EBADF);
	st->st_dev = 1;
	st->st_ino = *path ? fake_ino(path) : file->ino;
	st->st_mode = *path ? S_IFSOCK : file->mode;
	return 0;
}

/* A message of the library, without its name and the process. */
static inline long fake_write(const long *args)
{
	const char *text = (const char *)(intptr_t)args[1];
	const char *said = memchr(text, ' ', (size_t)args[2]);
	int len = (int)(args[2] - (said - text)) - 1;
	size_t had = strlen(fake.said);

	errno = ERRNO_NOISE;
	fake.calls++;
	snprintf(fake.said + had, sizeof(fake.said) - had, "%.*s\n", len - 1, said + 1);
	return args[2];
}

static inline long fake_mask(const long *args)
{
	int ret = fake_call(0, args[2] ? "block" : "unblock");

	fake.is_blocked = ret ? fake.is_blocked : args[2] != 0;
	return ret;
}

/* Calls that are answered by the script: number of arguments for it. */
static const struct {
	long number;
	const char *name;
	int args;
} fake_syscalls[] = {
	{ SYS_socket, "socket", 3 },
	{ SYS_connect, "connect", 1 },
	{ SYS_bind, "bind", 1 },
	{ SYS_listen, "listen", 1 },
	{ SYS_sendmsg, "sendmsg", 1 },
	{ SYS_sendto, "sendto", 1 },
	{ SYS_recvfrom, "recvfrom", 1 },
	{ SYS_execve, "execve", 0 },
	{ SYS_faccessat, "faccessat", 0 },
	{ SYS_wait4, "wait4", 1 },
	{ SYS_exit_group, "exit_group", 1 },
	{ SYS_close_range, "close_range", 3 },
	{ SYS_openat, "openat", 0 },
	{ SYS_read, "read", 1 },
};

static inline long fake_syscall(long number, const long *args)
{
	char text[64] = "";
	size_t n = 0;

	if (number == SYS_ppoll)
		return fake_poll_now(args);
	if (number == SYS_newfstatat)
		return fake_stat(args);
	if (number == SYS_statx)
		return real_syscall(number, args);
	if (number == SYS_write)
		return fake_write(args);
	if (number == SYS_rt_sigprocmask)
		return fake_mask(args);
	/* An address that cannot be read is EFAULT. */
	if ((number == SYS_connect || number == SYS_bind) && (int)args[2] == 1)
		return fake_refuse(args[1] < 4096 ? EFAULT : EINVAL);
	assert_true(number != SYS_openat || args[2] & O_CLOEXEC);
	if (number == SYS_openat && fake_find((const char *)(intptr_t)args[1]))
		return fake_open_file(args);
	if (number == SYS_read && args[0] == fake.file_fd)
		return fake_read(args);
	if (number == SYS_close && args[0] == fake.file_fd) {
		fake.n_files--;
		return 0;
	}
	if (number == SYS_close) {
		fake_shut((int)args[0]);
		fake_call(0, "drop %d", (int)args[0]);
		return fake_refuse(EINTR);
	}
	for (size_t i = 0; i < ARRAY_SIZE(fake_syscalls); i++) {
		if (fake_syscalls[i].number != number)
			continue;
		for (int arg = 0; arg < fake_syscalls[i].args; arg++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %d", (int)args[arg]);
		fake.args = args;
		return fake_call(0, "%s()%s", fake_syscalls[i].name, text);
	}
	fail_msg("an unknown system call: %ld", number);
	return -1;
}

long syscall(long number, ...)
{
	long args[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(ap, long);
	va_end(ap);
	if (!fake.on || ((number == SYS_getpid || number == SYS_gettid) && !fake.pid))
		return real_syscall(number, args);
	return number == SYS_getpid || number == SYS_gettid ? fake.pid : fake_syscall(number, args);
}

/* ---- the process ---- */

static inline void fake_ignore(int number)
{
}

/* A handler of the program, after which TCP would restart, or not. */
static inline void fake_handler(bool restarts)
{
	const struct sigaction action = { .sa_handler = fake_ignore,
					  .sa_flags = restarts ? SA_RESTART : 0 };

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
}

static jmp_buf left;

static inline void leave_now(void)
{
	longjmp(left, 1);
}

static inline void ends_by(void (*end)(int status))
{
	errno = ERRNO_BEFORE;
	if (!setjmp(left))
		end(3);
	assert_int_equal(errno, ERRNO_BEFORE);
}

/* ---- namespaces ---- */

enum {
	FAKE_DIR,
	FAKE_STATUS,
	FAKE_MOUNTS,
	FAKE_MAP,
	FAKE_USER,
	FAKE_NET,
	FAKE_OWN_STATUS,
	FAKE_OWN_MOUNTS,
	FAKE_OWN_MAP,
	FAKE_OWN_NET,
	FAKE_OWN_USER,
	FAKE_SPACES,
};

#define FAKE_MOUNT "76 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n"
#define FAKE_ALL "         0          0 4294967295\n"

/* /proc of this process, and of a keeper with that number in the same namespaces. */
static inline void fake_home(int keeper)
{
	static char path[32], status[256], own[64];
	int pid = fake.pid ? fake.pid : (int)syscall(SYS_gettid);
	unsigned int uid = geteuid();

	snprintf(status, sizeof(status),
		 "Name:\tsmc_keep\nUmask:\t0022\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%d\nSeccomp:\t0\n",
		 uid, uid, uid, uid, keeper);
	snprintf(path, sizeof(path), "/proc/%d", keeper);
	snprintf(own, sizeof(own), "Name:\tx\nNSpid:\t%d\n", pid);
	fake.files[FAKE_DIR].path = path;
	fake.files[FAKE_DIR].text = "";
	fake.files[FAKE_STATUS].path = "status";
	fake.files[FAKE_STATUS].text = status;
	fake.files[FAKE_MOUNTS].path = "mountinfo";
	fake.files[FAKE_OWN_MOUNTS].path = KEEP_SELF "mountinfo";
	fake.files[FAKE_MOUNTS].text = fake.files[FAKE_OWN_MOUNTS].text = FAKE_MOUNT;
	fake.files[FAKE_MAP].path = "uid_map";
	fake.files[FAKE_OWN_MAP].path = KEEP_SELF "uid_map";
	fake.files[FAKE_MAP].text = fake.files[FAKE_OWN_MAP].text = FAKE_ALL;
	fake.files[FAKE_NET].path = "net/dev";
	fake.files[FAKE_OWN_NET].path = KEEP_SELF "net/dev";
	fake.files[FAKE_NET].text = fake.files[FAKE_OWN_NET].text = "41";
	fake.files[FAKE_OWN_STATUS].path = KEEP_SELF "status";
	fake.files[FAKE_OWN_STATUS].text = own;
	fake.files[FAKE_USER].path = "ns/user";
	fake.files[FAKE_OWN_USER].path = KEEP_SELF "ns/user";
	fake.files[FAKE_USER].text = fake.files[FAKE_OWN_USER].text = "43";
	fake.files[FAKE_SPACES].path = KEEP_SELF "ns/";
	fake.files[FAKE_SPACES].text = "42";
}

/* ---- tests ---- */

static const struct {
	enum shim_fn fn;
	void (*fake)(void);
} fake_fns[] = {
#define FAKE(fn, name)                                                                             \
	{                                                                                          \
		fn, (void (*)(void))(name)                                                         \
	}
	FAKE(SHIM_SOCKET, fake_open),
	FAKE(SHIM_SETSOCKOPT, fake_setsockopt),
	FAKE(SHIM_GETSOCKOPT, fake_getsockopt),
	FAKE(SHIM_CONNECT, fake_connect),
	FAKE(SHIM_GETPEERNAME, fake_getpeername),
	FAKE(SHIM_BIND, fake_bind),
	FAKE(SHIM_LISTEN, fake_listen),
	FAKE(SHIM_ACCEPT, fake_accept),
	FAKE(SHIM_ACCEPT4, fake_accept4),
	FAKE(SHIM_IOCTL, fake_ioctl),
	FAKE(SHIM_SPLICE, fake_splice),
	FAKE(SHIM_RECV, fake_recv),
	FAKE(SHIM_WRITE, fake_next_write),
	FAKE(SHIM_SEND, fake_send),
	FAKE(SHIM_SENDFILE, fake_sendfile),
	FAKE(SHIM_SENDFILE64, fake_sendfile),
	FAKE(SHIM_CLOSE, fake_close),
	FAKE(SHIM_PRCTL, fake_prctl),
	FAKE(SHIM_SHUTDOWN, fake_shutdown),
	FAKE(SHIM_DUP, fake_dup),
	FAKE(SHIM_DUP2, fake_dup2),
	FAKE(SHIM_DUP3, fake_dup3),
	FAKE(SHIM_FCNTL, fake_fcntl),
	FAKE(SHIM_FCNTL64, fake_fcntl),
	FAKE(SHIM_CLOSE_RANGE, fake_close_range),
	FAKE(SHIM_CLOSEFROM, fake_closefrom),
	FAKE(SHIM_EPOLL_CREATE, fake_epoll_create),
	FAKE(SHIM_EPOLL_CREATE1, fake_epoll_create1),
	FAKE(SHIM_FORK, fake_fork),
	FAKE(SHIM_EXIT, leave_now),
	FAKE(SHIM_QUICK_EXIT, leave_now),
};

/* For loops over cases: the number of the present one is printed if the test fails. */
static size_t fake_row;
#define next_row(i, rows) (fake_row = (i) < ARRAY_SIZE(rows) ? (i) + 1 : 0)

/* Clear the marks of all numbers that a test, or its parent, may have. */
static inline void fake_forget(void)
{
	memset(shim_fd_bytes, 0, 8192);
}

/* An unused AF_SMC socket is file descriptor 5. */
FIXTURE(fake_setup)
{
	memset(&fake, 0, sizeof(fake));
	fake_forget();
	for (size_t i = 0; i < ARRAY_SIZE(fake_fns); i++)
		atomic_store(&shim_next_fn[fake_fns[i].fn], fake_fns[i].fake);
	fake.ms = 1000000;
	fake.first = 9;
	fake.file_fd = FAKE_FILE;
	fake_socket(5, AF_SMC, 0);
	shim_fd_prepare();
	fake.on = true;
	return 0;
}

FIXTURE(fake_teardown)
{
	fake.on = false;
	if (fake_row)
		print_message("# in row %zu\n", fake_row - 1);
	fake_row = 0;
	assert_int_equal(fake.n_files, 0);
	fake_forget();
	for (size_t i = 0; i < ARRAY_SIZE(fake_fns); i++)
		shim_resolve(fake_fns[i].fn);
	shim_in_sandbox = shim_is_locked = false;
	return 0;
}

/* ---- what a call has left ---- */

static inline void fake_begin(void)
{
	memcpy(fake.was.fds, fake.fds, sizeof(fake.fds));
	memcpy(fake.was.options, fake.options, sizeof(fake.options));
	fake.was.n_options = fake.n_options;
	fake.calls = fake.queries = 0;
	fake.closed = fake.quiet = 0;
	fake.said[0] = '\0';
	errno = ERRNO_BEFORE;
}

/* No descriptor is left over, except the one that was returned, and no signal stays blocked. */
static inline void fake_end(long long returned)
{
	for (int fd = 0; fd < FAKE_FDS; fd++) {
		if (fake.fds[fd].is_open && !fake.was.fds[fd].is_open && fd != returned)
			fail_msg("descriptor %d is left over", fd);
	}
	assert_false(fake.is_blocked);
}

/* True if all options that a descriptor had then are among those that it has now. */
static inline bool fake_has_all(int fd, const struct fake_option *then, size_t n_then,
				const struct fake_option *now, size_t n_now)
{
	const struct fake_option *same;

	for (; n_then; n_then--, then++) {
		if (then->fd != fd)
			continue;
		same = fake_find_option(now, n_now, fd, then->level, then->name);
		if (!same)
			same = fake_find_option(now, n_now, FAKE_ANY, then->level, then->name);
		if (!same || same->len != then->len || memcmp(same->value, then->value, same->len))
			return false;
	}
	return true;
}

static inline bool fake_has_options(int fd)
{
	return fake_has_all(fd, fake.was.options, fake.was.n_options, fake.options, fake.n_options);
}

/* True if a descriptor, and all of its options, are as before. */
static inline bool fake_is_same(int fd)
{
	const struct fake_fd *old = &fake.was.fds[fd], *new = &fake.fds[fd];

	return (!old->is_open && !new->is_open) ||
	       (!memcmp(old, new, sizeof(*old)) && fake_has_options(fd) &&
		fake_has_all(fd, fake.options, fake.n_options, fake.was.options,
			     fake.was.n_options));
}

/* Call bind(2) or connect(2) for socket 5, with an address that has only a family and a port. */
static inline int call_at(int (*call)(int fd, const struct sockaddr *addr, socklen_t len),
			  int family, int port, socklen_t len)
{
	struct sockaddr_storage addr = { .ss_family = (sa_family_t)family };

	/* The same place in IPv6. */
	((struct sockaddr_in *)&addr)->sin_port = htons((uint16_t)port);
	return call(5, (const struct sockaddr *)&addr, len);
}

static inline int connect_to(int port)
{
	return call_at(connect, AF_INET, port, sizeof(struct sockaddr_in));
}

static inline int get_int(int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(5, level, name, &value, &len), 0);
	fake_forgive();
	return value;
}

/* The value and errno (0: untouched) of a call, which leaves no descriptor over. */
#define comes_to(call, value, err)                                                                 \
	do {                                                                                       \
		long long got_value;                                                               \
		int got_errno;                                                                     \
		fake_begin();                                                                      \
		got_value = (call);                                                                \
		got_errno = errno;                                                                 \
		assert_int_equal(got_value, value);                                                \
		assert_int_equal(got_errno, (err) ? (err) : ERRNO_BEFORE);                         \
		fake_end(got_value);                                                               \
	} while (0)

/* After comes_to(): this number of system calls, not counting queries; a single one, no query. */
#define calls(n) assert_int_equal(fake.calls, n)
#define only_call() assert_true(fake.calls == 1 && !fake.queries)

/* After comes_to(): the kind of a socket. */
#define is_socket(fd, dom, proto)                                                                  \
	do {                                                                                       \
		assert_true(fake.fds[fd].is_open &&fake.fds[fd].is_socket);                        \
		assert_int_equal(fake.fds[fd].domain, dom);                                        \
		assert_int_equal(fake.fds[fd].protocol, proto);                                    \
	} while (0)
#define is_tcp(fd) is_socket(fd, AF_INET, IPPROTO_TCP)

/* After comes_to(): also if the socket was replaced, the program sees its settings. */
#define options_kept(fd)                                                                           \
	do {                                                                                       \
		assert_true(fake_has_options(fd));                                                 \
		assert_int_equal(fake.fds[fd].flags, fake.was.fds[fd].flags);                      \
		assert_int_equal(fake.fds[fd].fd_flags, fake.was.fds[fd].fd_flags);                \
		assert_int_equal(fake.fds[fd].owner, fake.was.fds[fd].owner);                      \
		assert_int_equal(fake.fds[fd].signal, fake.was.fds[fd].signal);                    \
	} while (0)

/* After comes_to(): the socket is a new one; it is the same; no socket has changed. */
#define is_new(fd) assert_int_not_equal(fake.fds[fd].ino, fake.was.fds[fd].ino)
#define stays(fd) assert_int_equal(fake.fds[fd].ino, fake.was.fds[fd].ino)
#define unchanged()                                                                                \
	do {                                                                                       \
		for (int each = 0; each < FAKE_FDS; each++)                                        \
			assert_true(fake_is_same(each));                                           \
	} while (0)

/* A call that succeeds: socket 5 is the same, becomes a TCP socket, or an SMC socket. */
#define keeps(call)                                                                                \
	do {                                                                                       \
		comes_to(call, 0, 0);                                                              \
		stays(5);                                                                          \
	} while (0)
#define makes_tcp(call)                                                                            \
	do {                                                                                       \
		comes_to(call, 0, 0);                                                              \
		is_tcp(5);                                                                         \
	} while (0)
#define makes_smc(call)                                                                            \
	do {                                                                                       \
		comes_to(call, 0, 0);                                                              \
		is_socket(5, AF_SMC, 0);                                                           \
	} while (0)

/* A call that fails, and changes nothing. */
#define refuses(call, err)                                                                         \
	do {                                                                                       \
		comes_to(call, -1, err);                                                           \
		unchanged();                                                                       \
	} while (0)
