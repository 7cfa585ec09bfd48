// SPDX-License-Identifier: MIT
/*
 * Traffic for "make soak". Its own memory does not grow, so any growth is the library's.
 *
 *   soak serve PORT          serves one client after the other
 *   soak churn PORT PLAIN    opens, uses and closes sockets of all kinds; TCP speaks at port PLAIN
 *   soak slow PORT           requests as much as the buffers hold, reads it after a while
 *   soak once PORT           one connection
 *
 * All except the last run until SIGTERM. After each round they print a line: connections and bytes
 * so far; bytes are those that "serve" wrote for slow clients, and that these have read.
 */
#include "tests/libc.h"

#define REQUEST 4096
/* Each byte is its position modulo this. */
#define PATTERN 251
#define CHUNK (PATTERN * 256)
/* TCP takes more than SMC. */
#define MOST (512 * 1024)
/* Time limit for an exchange: longer than any takes that works. */
#define LIMIT_S 60

/* Requests of a client, the first byte. */
enum { ECHO = 'e', FILL = 'f', FILL_IN_VAIN = 'v' };

static unsigned char pattern[CHUNK + PATTERN];
static unsigned long long connections, bytes;

static void tell(void)
{
	printf("%llu %llu\n", connections, bytes);
	fflush(stdout);
}

static void rest(int ms)
{
	poll(NULL, 0, ms);
}

static struct sockaddr_in address(const char *port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons((uint16_t)atoi(port)),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int new_socket(int flags)
{
	const struct timeval limit = { .tv_sec = LIMIT_S };
	int fd = socket(AF_INET, SOCK_STREAM | flags, 0);

	if (fd < 0)
		err(1, "socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

/* ---- the server ---- */

/* Write until the buffers are full: the rest must be kept when the program closes the socket. */
static size_t fill(int fd)
{
	size_t total = 0;
	ssize_t n;

	do {
		n = send(fd, pattern + total % PATTERN, CHUNK, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0)
			total += (size_t)n;
	} while (n > 0 && total < MOST);
	return total;
}

static void answer(int fd)
{
	char request[REQUEST];

	if (recv(fd, request, sizeof(request), MSG_WAITALL) != sizeof(request))
		return;
	if (request[0] == ECHO)
		send(fd, request, sizeof(request), MSG_NOSIGNAL);
	else if (request[0] == FILL)
		bytes += fill(fd);
	else
		fill(fd);
}

static void serve(const char *port)
{
	const struct sockaddr_in addr = address(port);
	int listener = new_socket(0), fd;
	const int on = 1;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (const struct sockaddr *)&addr, sizeof(addr)) || listen(listener, 100))
		err(1, "port %s", port);
	for (;;) {
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0 && (errno == EBADF || errno == EMFILE || errno == EINVAL))
			err(1, "accept");
		if (fd < 0)
			continue;
		answer(fd);
		close(fd);
		connections++;
		tell();
	}
}

/* ---- clients ---- */

static int dial(const char *port, int flags)
{
	const struct sockaddr_in addr = address(port);
	int fd = new_socket(flags), code = 0;
	socklen_t len = sizeof(code);
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	if (connect(fd, (const struct sockaddr *)&addr, sizeof(addr))) {
		if (errno != EINPROGRESS)
			err(1, "connect");
		if (poll(&ready, 1, LIMIT_S * 1000) != 1 ||
		    getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) || code)
			errx(1, "connect: %s", code ? strerror(code) : "takes too long");
	}
	connections++;
	return fd;
}

static int ask(const char *port, int flags, char what)
{
	char request[REQUEST] = { what };
	int fd = dial(port, flags);

	if (send(fd, request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
		err(1, "send");
	return fd;
}

static void echo(const char *port, int flags)
{
	char answered[REQUEST];
	int fd = ask(port, flags, ECHO);
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	if (poll(&ready, 1, LIMIT_S * 1000) != 1 ||
	    recv(fd, answered, sizeof(answered), MSG_WAITALL) != sizeof(answered) ||
	    answered[0] != ECHO)
		errx(1, "no echo");
	close(fd);
}

/* Leave without reading, with or without a reset. */
static void break_off(const char *port, int is_reset)
{
	const struct linger reset = { .l_onoff = is_reset };
	int fd = ask(port, 0, FILL_IN_VAIN);

	rest(100);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(fd);
}

static void hang_up(const char *port)
{
	close(dial(port, 0));
}

/* Connect to a bound socket without a listener: refused. */
static void refused(void)
{
	struct sockaddr_in addr = address("0");
	socklen_t len = sizeof(addr);
	int bound = new_socket(0), fd = new_socket(0);

	if (bind(bound, (const struct sockaddr *)&addr, len) ||
	    getsockname(bound, (struct sockaddr *)&addr, &len))
		err(1, "bind");
	if (!connect(fd, (const struct sockaddr *)&addr, len))
		errx(1, "a port without a listener answers");
	close(fd);
	close(bound);
}

/* Unconnected sockets, other sockets, duplicates, epoll, a child that inherits them. */
static void others(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = new_socket(0), copy = dup(fd), udp = socket(AF_INET, SOCK_DGRAM, 0);
	int epoll = epoll_create1(EPOLL_CLOEXEC), pair[2];
	pid_t child;

	if (copy < 0 || udp < 0 || epoll < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		err(1, "other sockets");
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	listen(fd, 10);
	child = fork();
	if (!child)
		exit(0);
	waitpid(child, NULL, 0);
	for (int i = 0; i < 2; i++)
		close(pair[i]);
	close(epoll);
	close(udp);
	close(fd);
	shutdown(copy, SHUT_RDWR);
	close(copy);
}

static void churn(const char *port, const char *plain)
{
	for (int round = 0;; round++) {
		echo(port, 0);
		echo(port, SOCK_NONBLOCK);
		echo(plain, round & 1 ? SOCK_NONBLOCK : 0);
		rest(250);
		break_off(port, round & 1);
		hang_up(port);
		rest(250);
		refused();
		others();
		tell();
		rest(500);
	}
}

/* SIGTERM is handled after everything requested was read: then both ends have the same totals. */
static int is_to_end(void)
{
	sigset_t pending;

	return !sigpending(&pending) && sigismember(&pending, SIGTERM);
}

static void hold_back_sigterm(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Read everything in order, up to the end. */
static void slow(const char *port)
{
	static unsigned char got[CHUNK];
	unsigned long long at;
	ssize_t n;
	int fd;

	hold_back_sigterm();
	while (!is_to_end()) {
		fd = ask(port, 0, FILL);
		rest(2000);
		for (at = 0; (n = recv(fd, got, sizeof(got), 0)) > 0; at += (size_t)n) {
			if (memcmp(got, pattern + at % PATTERN, (size_t)n))
				errx(1, "other bytes than were sent");
		}
		if (n < 0)
			err(1, "after %llu bytes", at);
		close(fd);
		bytes += at;
		tell();
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (unsigned char)(i % PATTERN);
	if (!strcmp(what, "serve") && argc == 3)
		serve(argv[2]);
	else if (!strcmp(what, "churn") && argc == 4)
		churn(argv[2], argv[3]);
	else if (!strcmp(what, "slow") && argc == 3)
		slow(argv[2]);
	else if (!strcmp(what, "once") && argc == 3)
		echo(argv[2], 0);
	else
		errx(2, "usage: soak serve | churn | slow | once PORT [PLAIN]");
	return 0;
}
