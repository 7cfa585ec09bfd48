// SPDX-License-Identifier: MIT
/* Print the protocol of a TCP socket (inet or inet6), and make two other sockets. */
#include "tests/libc.h"

int main(int argc, char **argv)
{
	int family = argc > 1 && !strcmp(argv[1], "inet6") ? AF_INET6 : AF_INET;
	int fd = socket(family, SOCK_STREAM, 0), protocol;
	socklen_t len = sizeof(protocol);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len))
		err(1, "TCP socket");
	if (socket(AF_UNIX, SOCK_STREAM, 0) < 0 || socket(AF_INET, SOCK_DGRAM, 0) < 0)
		err(1, "another socket");
	printf("%d\n", protocol);
	return 0;
}
