// SPDX-License-Identifier: MIT
/* instructions N: opens and closes a TCP socket N times. Counted by tests/preload/instructions. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	while (n-- > 0)
		close(socket(AF_INET, SOCK_STREAM, 0));
	return 0;
}
