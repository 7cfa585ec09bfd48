// SPDX-License-Identifier: MIT
/*
 * instructions N CALL [smc]: N calls of a function over a fake without limit, of a descriptor that
 * may be an SMC socket, or cannot be one. Counted by tests/preload/instructions.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static char data[64];
static struct iovec part = { data, sizeof(data) };
static struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0,
	    fd = argc > 3 ? socket(AF_INET, SOCK_STREAM, 0) : 8888;
	const char *call = argc > 2 ? argv[2] : "";

	if (!strcmp(call, "socket"))
		while (n-- > 0)
			socket(AF_INET, SOCK_STREAM, 0);
	else if (!strcmp(call, "write"))
		while (n-- > 0)
			(void)!write(fd, data, sizeof(data));
	else if (!strcmp(call, "send"))
		while (n-- > 0)
			send(fd, data, sizeof(data), 0);
	else if (!strcmp(call, "sendmsg"))
		while (n-- > 0)
			sendmsg(fd, &message, 0);
	else if (!strcmp(call, "read"))
		while (n-- > 0)
			(void)!read(fd, data, sizeof(data));
	else if (!strcmp(call, "recv"))
		while (n-- > 0)
			recv(fd, data, sizeof(data), 0);
	else if (!strcmp(call, "recvmsg"))
		while (n-- > 0)
			recvmsg(fd, &message, 0);
	else
		return 1;
	return 0;
}
