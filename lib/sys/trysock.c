// SPDX-License-Identifier: MIT
/* Whether a kind of socket can be opened here. */
#include "sys/trysock.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

int try_socket(int domain, int protocol)
{
	int fd = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}
