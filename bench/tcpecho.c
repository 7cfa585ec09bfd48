// SPDX-License-Identifier: MIT
/*
 * Lower bound for the cost of testing a connection: connect to PORT of 127.0.0.1 over TCP, send a
 * byte, receive it after the 16 bytes of greeting from "smc_chk serve", close.
 */
#include <err.h>
#include <stdlib.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char buf[17];

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	addr.sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 37373));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err(1, "connect");
	if (send(fd, "x", 1, 0) != 1 || recv(fd, buf, sizeof(buf), MSG_WAITALL) != sizeof(buf))
		err(1, "exchange");
	close(fd);
	return 0;
}
