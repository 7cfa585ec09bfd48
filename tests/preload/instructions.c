// SPDX-License-Identifier: MIT
/*
 * instructions N: opens N TCP sockets over a fake without limit. Counted by
 * tests/preload/instructions.
 */
#include <stdlib.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	while (n-- > 0)
		socket(AF_INET, SOCK_STREAM, 0);
	return 0;
}
