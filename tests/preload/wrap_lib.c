// SPDX-License-Identifier: MIT
/* A second preload library that wraps socket(): prints a line on fd 1 and passes the call on. */
#include "tests/libc.h"

int socket(int domain, int type, int protocol)
{
	int (*below)(int, int, int) = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
	char text[64];

	snprintf(text, sizeof(text), "wrap %d %d %d\n", domain, type, protocol);
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		return -1;
	return below(domain, type, protocol);
}
