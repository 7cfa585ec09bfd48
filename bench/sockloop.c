// SPDX-License-Identifier: MIT
/* Nanoseconds of one socket() for IPv4 and streams: the median of 15 rounds. Argument: protocol. */
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

static int by_size(const void *one, const void *other)
{
	long long a = *(const long long *)one, b = *(const long long *)other;

	return a < b ? -1 : a > b;
}

/* The sockets are closed after the time is taken. */
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
	long long times[ROUNDS];

	measure(protocol);
	for (int i = 0; i < ROUNDS; i++)
		times[i] = measure(protocol);
	qsort(times, ROUNDS, sizeof(times[0]), by_size);
	printf("%lld\n", times[ROUNDS / 2]);
	return 0;
}
