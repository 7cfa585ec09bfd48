// SPDX-License-Identifier: MIT
/*
 * A server that polls blocking listeners, and clients of it.
 *
 *   polled serve PROCESSES THREADS    prints the ports of two listeners; each thread of each
 *                                     process polls both, accepts, and sends back what it gets
 *   polled load A B ROUNDS DEAD       each round: that many clients of A that go away during their
 *                                     handshake; then one of B and one of A whose data must come
 *                                     back; prints how many were answered
 *
 * Whoever waits in accept() for A answers nobody at B.
 */
#include <err.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define AF_SMC_43 43
#define MOST 20000
#define LIMIT 60

static struct pollfd listeners[2];

static void echo(int fd)
{
	static _Thread_local char data[MOST];
	ssize_t n, done, part;

	while ((n = recv(fd, data, sizeof(data), 0)) > 0) {
		for (done = 0; done < n; done += part) {
			part = send(fd, data + done, (size_t)(n - done), MSG_NOSIGNAL);
			if (part < 0)
				return;
		}
	}
}

/* As naive programs do it: accept() does not fail, and does not wait. */
static void *serve(void *unused)
{
	struct sockaddr_in peer;
	socklen_t len;
	int i, fd;

	for (;;) {
		struct pollfd fds[2] = { listeners[0], listeners[1] };

		if (poll(fds, 2, -1) < 0)
			err(1, "poll");
		for (i = 0; i < 2; i++) {
			if (!(fds[i].revents & POLLIN))
				continue;
			len = sizeof(peer);
			fd = accept(fds[i].fd, (struct sockaddr *)&peer, &len);
			if (fd < 0 || peer.sin_family != AF_INET || len != sizeof(peer))
				err(1, "accept: family %d, %u bytes", peer.sin_family, len);
			echo(fd);
			close(fd);
		}
	}
	return unused;
}

static int open_listener(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (void *)&addr, len) || listen(fd, 1024) ||
	    getsockname(fd, (void *)&addr, &len))
		err(1, "listen");
	printf("%d ", ntohs(addr.sin_port));
	return fd;
}

static int run_servers(int processes, int threads)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 2; i++)
		listeners[i] = (struct pollfd){ .fd = open_listener(), .events = POLLIN };
	puts("");
	fflush(stdout);
	for (i = 1; i < processes && fork(); i++)
		;
	for (i = 1; i < threads; i++)
		pthread_create(&thread, NULL, serve, NULL);
	serve(NULL);
	return 1;
}

static int client(int flags)
{
	struct timeval limit = { .tv_sec = LIMIT };
	int fd = socket(AF_SMC_43, SOCK_STREAM | flags, 0);

	if (fd < 0)
		err(1, "socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

static int connect_to(int fd, int port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons((in_port_t)port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	return connect(fd, (void *)&addr, sizeof(addr));
}

static void die(int port)
{
	int fd = client(SOCK_NONBLOCK);

	connect_to(fd, port);
	close(fd);
}

/* Whether all comes back, byte by byte. */
static bool ask(int port)
{
	static char sent[MOST], got[MOST + 1];
	size_t size = 1 + (size_t)rand() % MOST, have = 0, i;
	ssize_t n = 1;
	int fd = client(0);

	for (i = 0; i < size; i++)
		sent[i] = (char)rand();
	if (connect_to(fd, port) || send(fd, sent, size, 0) != (ssize_t)size) {
		warn("port %d", port);
		close(fd);
		return false;
	}
	shutdown(fd, SHUT_WR);
	while (n > 0 && have <= size) {
		n = recv(fd, got + have, sizeof(got) - have, 0);
		have += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		warn("port %d: after %zu bytes", port, have);
	close(fd);
	return !n && have == size && !memcmp(sent, got, size);
}

static int load(int a, int b, int rounds, int dead)
{
	int round, i, good_a = 0, good_b = 0;

	for (round = 0; round < rounds && good_b == round; round++) {
		for (i = 0; i < dead; i++)
			die(a);
		good_b += ask(b);
		good_a += ask(a);
	}
	printf("%d and %d of %d\n", good_a, good_b, rounds);
	return good_a != rounds || good_b != rounds;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "serve"))
		return run_servers(atoi(argv[2]), atoi(argv[3]));
	if (argc == 6 && !strcmp(argv[1], "load"))
		return load(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
	errx(2, "usage: polled serve PROCESSES THREADS | load A B ROUNDS DEAD");
}
