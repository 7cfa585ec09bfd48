// SPDX-License-Identifier: MIT
/*
 * Duration of a connection in nanoseconds, over 127.0.0.1: socket, connect, accept, exchanges of
 * BYTES each way, close of both ends.
 * usage: life COUNT [PROTOCOL [SERVERS [EXCHANGES [BYTES]]]]    the best of five rounds of COUNT
 * connections, one after the other; SERVERS is the listener's protocol, if that is another one
 */
#include <err.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/socket.h>

enum { ROUNDS = 5 };

static struct sockaddr_in addr = { .sin_family = AF_INET };
static int listener, protocol, servers_protocol;
static int exchanges = 1;
static size_t bytes = 64;
static char *sent, *received;

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int open_socket(int number)
{
	int fd = socket(AF_INET, SOCK_STREAM, number);

	if (fd < 0)
		err(1, "socket");
	return fd;
}

/* SMC ends MSG_WAITALL when its buffer is full, and a blocking send() earlier than TCP. */
static bool receive(int fd, char *to)
{
	ssize_t n = 1;

	for (size_t got = 0; got < bytes && n > 0; got += n > 0 ? (size_t)n : 0)
		n = recv(fd, to + got, bytes - got, MSG_WAITALL);
	return n > 0;
}

static void transmit(int fd, const char *from)
{
	ssize_t n;

	for (size_t sent_now = 0; sent_now < bytes; sent_now += (size_t)n) {
		n = send(fd, from + sent_now, bytes - sent_now, MSG_NOSIGNAL);
		if (n < 0)
			err(1, "send");
	}
}

/* Echo the received bytes until the peer closes; serve one connection after the other. */
static void *serve(void *arg)
{
	int fd;

	for (;;) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			err(1, "accept");
		for (int i = 0; i < exchanges && receive(fd, received); i++)
			transmit(fd, received);
		close(fd);
	}
	return arg;
}

static void live(void)
{
	int fd = open_socket(protocol);

	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err(1, "connect");
	for (int i = 0; i < exchanges; i++) {
		transmit(fd, sent);
		if (!receive(fd, sent))
			err(1, "recv");
	}
	close(fd);
}

static long long measure(int count)
{
	long long start = now();

	for (int i = 0; i < count; i++)
		live();
	return (now() - start) / count;
}

static void start_server(void)
{
	socklen_t len = sizeof(addr);
	pthread_t thread;

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = open_socket(servers_protocol);
	if (bind(listener, (struct sockaddr *)&addr, len) || listen(listener, 128) ||
	    getsockname(listener, (struct sockaddr *)&addr, &len))
		err(1, "listen");
	if (pthread_create(&thread, NULL, serve, NULL))
		errx(1, "no thread");
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;
	long long best, time;

	if (count < 1)
		errx(1, "usage: life COUNT [PROTOCOL [SERVERS [EXCHANGES [BYTES]]]]");
	protocol = argc > 2 ? atoi(argv[2]) : 0;
	servers_protocol = argc > 3 ? atoi(argv[3]) : protocol;
	if (argc > 4)
		exchanges = atoi(argv[4]);
	if (argc > 5)
		bytes = strtoul(argv[5], NULL, 10);
	sent = calloc(2, bytes);
	if (!sent)
		errx(1, "no memory");
	received = sent + bytes;
	start_server();
	best = measure(count);
	for (int i = 1; i < ROUNDS; i++) {
		time = measure(count);
		best = time < best ? time : best;
	}
	printf("%lld\n", best);
	return 0;
}
