// SPDX-License-Identifier: MIT
/*
 * System calls during a connection, and handling of stale knowledge.
 *
 *   lives count PROTOCOL PEER [shared]
 *                               for each place the minimum number of system calls over many rounds,
 *                               after a warm-up; sockets are opened with PROTOCOL; another process
 *                               connects with PEER, and has the listener, too, if shared
 *   lives CASE                  see cases[]: a line each
 *
 * LIVES_RDMA=none, some or refused is the answer to the library's query for RDMA devices; late:
 * none at first, some later.
 */

#include "tests/libc.h"
#include "tests/calls.h"
#include "tests/cases.h"

enum { ROUNDS = 50, WARM_UP = 25, NETLINK_RDMA_20 = 20, DONE_3 = 3, DEVICES = 5 << 10 | 1 };
enum place { OUTSIDE, SOCKET, CONNECT, READY, ACCEPT, CLOSE, CLOSE_ACCEPTED, PLACES };

static const char *const names[PLACES] = {
	[SOCKET] = "socket", [CONNECT] = "connect", [READY] = "ready",
	[ACCEPT] = "accept", [CLOSE] = "close",	    [CLOSE_ACCEPTED] = "accepted",
};

static const struct linger five = { 1, 5 };
static struct sockaddr_in server = { .sin_family = AF_INET };
static int listener, skew;

/* A socket with the kernel's answer queued. */
static long answering(const char *what)
{
	const uint32_t none[4] = { sizeof(none), DONE_3, 0, 0 },
		       some[4] = { sizeof(some), DEVICES, 0, 0 };
	static int ends[2] = { -1, -1 };

	if (!strcmp(what, "refused")) {
		errno = EACCES;
		return -1;
	}
	close(ends[1]);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) ||
	    write(ends[1], strcmp(what, "some") && !skew ? none : some, sizeof(none)) < 0)
		err(1, "answer");
	return ends[0];
}

long syscall(long number, ...)
{
	const char *what = getenv("LIVES_RDMA");
	long args[6];
	va_list ap;

	va_start(ap, number);
	get_args(args, ap);
	va_end(ap);
	if (number == SYS_socket && args[0] == AF_NETLINK && args[2] == NETLINK_RDMA_20 && what)
		return answering(what);
	return libc_call(number, args);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static int (*next)(clockid_t clock, struct timespec * now);
	int ret;

	if (!next)
		next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	ret = next(clock, now);
	now->tv_sec += skew;
	return ret;
}

static void start_server(int fd)
{
	if (listen_here(fd, &server, 16))
		err(1, "listen");
	listener = fd;
}

static int open_socket(int protocol)
{
	int fd = socket(AF_INET, SOCK_STREAM, protocol);

	if (fd < 0)
		err(77, "socket");
	return fd;
}

/* A socket unknown to the library. */
static int raw_socket(int protocol)
{
	return (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, protocol);
}

static int raw_connect(int fd)
{
	return (int)syscall(SYS_connect, fd, &server, sizeof(server));
}

static void wait_ready(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	if (poll(&poll_fd, 1, 10000) != 1)
		errx(1, "nobody comes");
}

static void mark(enum place place)
{
	const long args[6] = { place, server.sin_port };

	libc_call(SYS_getppid, args);
}

static void exchange(int one, int other)
{
	char byte = 1;

	if (send(one, &byte, 1, 0) != 1 || recv(other, &byte, 1, MSG_WAITALL) != 1 ||
	    send(other, &byte, 1, 0) != 1 || recv(one, &byte, 1, MSG_WAITALL) != 1)
		err(1, "exchange");
}

static void live(int protocol)
{
	int fd, peer;

	mark(SOCKET);
	fd = open_socket(protocol);
	mark(CONNECT);
	if (connect(fd, (struct sockaddr *)&server, sizeof(server)))
		err(1, "connect");
	mark(OUTSIDE);
	wait_ready(listener);
	mark(READY);
	peer = accept(listener, NULL, NULL);
	mark(OUTSIDE);
	exchange(fd, peer);
	mark(CLOSE);
	close(fd);
	mark(CLOSE_ACCEPTED);
	close(peer);
	/* Signal the tracing process to connect. */
	mark(ACCEPT);
	peer = accept(listener, NULL, NULL);
	mark(OUTSIDE);
	close(peer);
}

static bool is_accept(uint64_t number)
{
#ifdef SYS_accept
	if (number == SYS_accept)
		return true;
#endif
	return number == SYS_accept4;
}

static void live_all(int protocol)
{
	const char *rdma = getenv("LIVES_RDMA");

	for (int i = 0; i < ROUNDS; i++) {
		if (i == WARM_UP && rdma && !strcmp(rdma, "late"))
			skew = 9;
		live(protocol);
	}
}

/* On most machines, reading the clock needs no system call. */
static bool is_clock(uint64_t number)
{
#ifdef SYS_clock_gettime64
	if (number == SYS_clock_gettime64)
		return true;
#endif
#ifdef SYS_clock_gettime
	return number == SYS_clock_gettime;
#else
	return false;
#endif
}

/* Trace a process, and connect to it as its client. @least: fewest system calls for each place. */
static void follow(pid_t pid, int protocol, int least[PLACES])
{
	struct __ptrace_syscall_info info = { 0 };
	enum place place = OUTSIDE;
	int calls = 0, client = -1, rounds = 0;
	in_port_t port = 0;

	while (next_call(pid, &info)) {
		if (info.entry.nr == SYS_getppid) {
			if (rounds > WARM_UP && (least[place] < 0 || calls < least[place]))
				least[place] = calls;
			place = (enum place)info.entry.args[0];
			port = (in_port_t)info.entry.args[1];
			rounds += place == SOCKET;
			calls = 0;
			if (place == SOCKET && client >= 0)
				syscall(SYS_close, client);
			continue;
		}
		calls += !is_clock(info.entry.nr);
		if (place != ACCEPT || !is_accept(info.entry.nr))
			continue;
		/* The call is resumed before it blocks: let the kernel wait for the client. */
		if (ptrace(PTRACE_SYSCALL, pid, 0, 0))
			err(1, "ptrace");
		client = raw_socket(protocol);
		server.sin_port = port;
		if (raw_connect(client))
			err(1, "client");
		waitpid(pid, NULL, 0);
	}
}

static int count(int protocol, int peer, bool is_shared)
{
	int least[PLACES], status;
	pid_t pid;

	memset(least, -1, sizeof(least));
	if (is_shared)
		start_server(open_socket(protocol));
	pid = fork();
	if (!pid) {
		if (!is_shared)
			start_server(open_socket(protocol));
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			err(77, "ptrace");
		raise(SIGSTOP);
		live_all(protocol);
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))
		errx(77, "ptrace");
	follow(pid, peer, least);
	for (int i = SOCKET; i < PLACES; i++)
		printf("%s=%d%c", names[i], least[i], i < PLACES - 1 ? ' ' : '\n');
	return 0;
}

/* Connect to a TCP server: SO_LINGER must be restored. */
static void say_linger(int fd)
{
	struct linger linger = { 0 };
	socklen_t len = sizeof(linger);
	int ret = connect(fd, (struct sockaddr *)&server, sizeof(server));

	if (getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len))
		err(1, "SO_LINGER");
	printf("connect=%d linger=%d,%d\n", ret, linger.l_onoff, linger.l_linger);
}

static void set_linger(int fd)
{
	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &five, sizeof(five)))
		err(1, "SO_LINGER");
}

CASE(own)
{
	int fd = open_socket(0);

	set_linger(fd);
	say_linger(fd);
}

CASE(dup)
{
	int fd = open_socket(0);

	set_linger(dup(fd));
	say_linger(fd);
}

CASE(dup2)
{
	int fd = open_socket(0), other = open_socket(0);

	set_linger(other);
	say_linger(dup2(other, fd));
}

/* A child has separate memory. */
CASE(fork)
{
	int fd = open_socket(0), status;
	pid_t pid = fork();

	if (!pid) {
		set_linger(fd);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "child");
	say_linger(fd);
}

CASE(exec)
{
	char number[16], name[] = "lives", how[] = "inherited";
	char *argv[] = { name, how, number, NULL };
	int fd = open_socket(0);

	set_linger(fd);
	snprintf(number, sizeof(number), "%d", fd);
	execv("/proc/self/exe", argv);
}

/* Passed with SCM_RIGHTS, to a number of an earlier socket. */
CASE(passed)
{
	int pair[2], first, other, got;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		err(1, "socketpair");
	first = open_socket(0);
	other = open_socket(0);
	set_linger(other);
	got = other;
	if (pass_fds(pair[0], true, 0, &got, 1) != 1)
		err(1, "sendmsg");
	close(first);
	if (pass_fds(pair[1], false, 0, &got, 1) != 1)
		err(1, "recvmsg");
	if (got != first)
		errx(1, "another number");
	say_linger(got);
}

static void open_file_at(int fd)
{
	if (open("/dev/null", O_RDONLY) != fd)
		errx(1, "another number");
}

/* Closed by a raw system call, and the number reused. */
CASE(raw)
{
	struct sockaddr_in nobody = server;
	int fd = open_socket(0), ret;

	nobody.sin_port = htons(1);
	syscall(SYS_close, fd);
	if (raw_socket(0) != fd)
		errx(1, "another number");
	ret = connect(fd, (struct sockaddr *)&nobody, sizeof(nobody));
	printf("connect=%d %d, ", ret, errno == ECONNREFUSED);
	ret = connect(fd, (struct sockaddr *)&server, sizeof(server));
	printf("connect=%d close=%d, ", ret, close(fd));
	fd = open_socket(0);
	syscall(SYS_close, fd);
	open_file_at(fd);
	ret = connect(fd, (struct sockaddr *)&server, sizeof(server));
	printf("file: connect=%d %d close=%d\n", ret, errno == ENOTSOCK, close(fd));
}

/* Seen as non-blocking, then set to blocking by a raw system call; its client is gone. */
CASE(blocking)
{
	int fd, waits;

	close(listener);
	start_server(open_socket(0));
	fcntl(listener, F_SETFL, O_NONBLOCK);
	waits = accept(listener, NULL, NULL) < 0 && errno == EAGAIN;
	syscall(SYS_fcntl, listener, F_SETFL, 0);
	fd = raw_socket(0);
	if (raw_connect(fd))
		err(1, "client");
	syscall(SYS_close, fd);
	wait_ready(listener);
	alarm(20);
	fd = accept(listener, NULL, NULL);
	printf("waits=%d accept=%d\n", waits, fd >= 0);
}

/* Other files reuse the numbers of sockets that a raw system call has closed. */
CASE(strange)
{
	int fd = open_socket(0), peer;

	close(fd);
	open_file_at(fd);
	close(fd);
	fd = open_socket(0);
	if (connect(fd, (struct sockaddr *)&server, sizeof(server)))
		err(1, "connect");
	peer = accept(listener, NULL, NULL);
	close(peer);
	open_file_at(peer);
	close(peer);
	peer = dup(fd);
	syscall(SYS_close, peer);
	open_file_at(peer);
	dup2(fd, peer);
	close(0);
	printf("asked=%d\n", count_below("mimic_strange"));
}

int main(int argc, char **argv)
{
	const struct test_case *one;

	setvbuf(stdout, NULL, _IONBF, 0);
	syscall(SYS_getpid);
	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (argc >= 4 && !strcmp(argv[1], "count"))
		return count(atoi(argv[2]), atoi(argv[3]), argc > 4);
	start_server(raw_socket(0));
	if (argc == 3 && !strcmp(argv[1], "inherited")) {
		say_linger(atoi(argv[2]));
		return 0;
	}
	one = argc == 2 ? case_named(argv[1]) : NULL;
	if (!one)
		return 2;
	one->run();
	return 0;
}
