// SPDX-License-Identifier: MIT
/*
 * Request and answer of 64 bytes over one connection, COUNT times.
 * usage: pingpong CALL COUNT: prints voluntary context switches of the server and of the client,
 * and microseconds a round trip
 */
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/uio.h>

#include "tests/libc.h"

#define BYTES 64

#ifndef __GLIBC__
#define preadv2(fd, parts, n, pos, flags) readv(fd, parts, n)
#define epoll_pwait2(epfd, events, n, time, mask) epoll_pwait(epfd, events, n, -1, mask)
#endif

static int epfd;

static void check(long ret, const char *what)
{
	if (ret >= 0)
		return;
	perror(what);
	_exit(1);
}

static ssize_t by_recv(int fd, void *data, size_t len)
{
	return recv(fd, data, len, 0);
}

static ssize_t by_recvfrom(int fd, void *data, size_t len)
{
	return recvfrom(fd, data, len, MSG_WAITALL, NULL, NULL);
}

static ssize_t by_recvmsg(int fd, void *data, size_t len)
{
	struct iovec part = { data, len };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	return recvmsg(fd, &message, 0);
}

static ssize_t by_readv(int fd, void *data, size_t len)
{
	struct iovec part = { data, len };

	return readv(fd, &part, 1);
}

static ssize_t by_preadv2(int fd, void *data, size_t len)
{
	struct iovec part = { data, len };

	return preadv2(fd, &part, 1, -1, 0);
}

static ssize_t by_poll(int fd, void *data, size_t len)
{
	struct pollfd one = { fd, POLLIN, 0 };

	check(poll(&one, 1, 60000), "poll");
	return recv(fd, data, len, MSG_DONTWAIT);
}

static ssize_t by_ppoll(int fd, void *data, size_t len)
{
	struct pollfd one = { fd, POLLIN, 0 };

	check(ppoll(&one, 1, NULL, NULL), "ppoll");
	return recv(fd, data, len, MSG_DONTWAIT);
}

static ssize_t by_select(int fd, void *data, size_t len)
{
	struct timeval limit = { 60, 0 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	check(select(fd + 1, &set, NULL, NULL, &limit), "select");
	return recv(fd, data, len, MSG_DONTWAIT);
}

static ssize_t by_pselect(int fd, void *data, size_t len)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	check(pselect(fd + 1, &set, NULL, NULL, NULL, NULL), "pselect");
	return recv(fd, data, len, MSG_DONTWAIT);
}

static void watch(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (epfd)
		return;
	epfd = epoll_create1(0);
	check(epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

static ssize_t by_epoll(int fd, void *data, size_t len)
{
	struct epoll_event event;

	watch(fd);
	check(epoll_wait(epfd, &event, 1, -1), "epoll_wait");
	return recv(fd, data, len, MSG_DONTWAIT);
}

static ssize_t by_epoll_pwait2(int fd, void *data, size_t len)
{
	struct epoll_event event;

	watch(fd);
	check(epoll_pwait2(epfd, &event, 1, NULL, NULL), "epoll_pwait2");
	return recv(fd, data, len, MSG_DONTWAIT);
}

static const struct {
	const char *name;
	ssize_t (*receive)(int fd, void *data, size_t len);
} calls[] = {
	{ "recv", by_recv },	   { "read", read },	      { "recvfrom", by_recvfrom },
	{ "recvmsg", by_recvmsg }, { "readv", by_readv },     { "poll", by_poll },
	{ "ppoll", by_ppoll },	   { "select", by_select },   { "pselect", by_pselect },
	{ "epoll", by_epoll },	   { "preadv2", by_preadv2 }, { "epoll_pwait2", by_epoll_pwait2 },
};

static ssize_t (*receive)(int fd, void *data, size_t len);

/* Return: false at the end of the stream. */
static int take(int fd, char *data)
{
	size_t have = 0;
	ssize_t len;

	while (have < BYTES) {
		len = receive(fd, data + have, BYTES - have);
		if (len < 0 && errno == EAGAIN)
			continue;
		check(len, "receive");
		if (!len)
			return 0;
		have += (size_t)len;
	}
	return 1;
}

static long switches(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage.ru_nvcsw;
}

static void serve(int listener)
{
	int fd = accept(listener, NULL, NULL);
	char data[BYTES];
	long before;

	check(fd, "accept");
	take(fd, data);
	before = switches(RUSAGE_SELF);
	do
		check(send(fd, data, BYTES, 0), "send");
	while (take(fd, data));
	dprintf(STDOUT_FILENO, "%ld ", switches(RUSAGE_SELF) - before);
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr;
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd, i, count = argc > 2 ? atoi(argv[2]) : 0,
	    status;
	char data[BYTES] = "ping";
	struct timespec start, end;
	long before;
	pid_t pid;

	for (i = 0; argc > 1 && i < (int)(sizeof(calls) / sizeof(calls[0])); i++)
		receive = strcmp(calls[i].name, argv[1]) ? receive : calls[i].receive;
	if (!receive || count < 1)
		return 2;
	check(listen_here(listener, &addr, 1), "listen");
	pid = fork();
	check(pid, "fork");
	if (!pid) {
		serve(listener);
		_exit(0);
	}
	fd = socket(AF_INET, SOCK_STREAM, 0);
	check(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), "connect");
	before = switches(RUSAGE_SELF);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (i = 0; i < count; i++) {
		check(send(fd, data, BYTES, 0), "send");
		if (!take(fd, data))
			return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	before = switches(RUSAGE_SELF) - before;
	shutdown(fd, SHUT_WR);
	if (waitpid(pid, &status, 0) != pid || status)
		return 1;
	printf("%ld %.1f\n", before,
	       ((double)(end.tv_sec - start.tv_sec) * 1e6 +
		(double)(end.tv_nsec - start.tv_nsec) / 1e3) /
		       count);
	return 0;
}
