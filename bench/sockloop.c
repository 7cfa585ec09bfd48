// SPDX-License-Identifier: MIT
/* Nanoseconds per socket() for IPv4 streams: the best of 15 rounds. Argument: protocol. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 15, SOCKETS = 500 };

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* The sockets are closed after the measurement. */
static long long measure(int protocol)
{
	int fds[SOCKETS];
	long long start = now(), end;

	for (int i = 0; i < SOCKETS; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, protocol);
		if (fds[i] < 0)
			err(1, "socket");
	}
	end = now();
	for (int i = 0; i < SOCKETS; i++)
		close(fds[i]);
	return (end - start) / SOCKETS;
}

int main(int argc, char **argv)
{
	int protocol = argc > 1 ? atoi(argv[1]) : 0;
	long long best = measure(protocol), time;

	for (int i = 1; i < ROUNDS; i++) {
		time = measure(protocol);
		best = time < best ? time : best;
	}
	printf("%lld\n", best);
	return 0;
}
