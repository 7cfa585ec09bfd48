// SPDX-License-Identifier: MIT
/*
 * burn PORT - connect to this host, then compute: a program that does the same work over SMC and
 * over TCP. Prints its speed.
 */
#include "tests/libc.h"

#define STEPS 3000000

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	volatile uint32_t state = 1;
	double start;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (argc != 2)
		errx(2, "burn PORT");
	addr.sin_port = htons((uint16_t)atoi(argv[1]));
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err(1, "connect");
	start = now();
	for (int i = 0; i < STEPS; i++)
		state = state * 1664525 + 1013904223;
	printf("%.3f steps/us\n", STEPS / 1e6 / (now() - start));
	close(fd);
	return 0;
}
