// SPDX-License-Identifier: MIT
/* The file descriptors of this process. */
#include "ld_pre_smc/open_fds.h"

#include <poll.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "ld_pre_smc/sock.h"

#define BLOCK 256

/* poll(2) takes no more than a process may have. */
static int block_size(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < BLOCK ? (int)limit.rlim_cur :
									     BLOCK;
}

void shim_each_open(void (*visit)(int fd, void *arg), void *arg)
{
	int first, i, n = block_size();
	struct pollfd fds[BLOCK];
	bool any = true;

	/* Where poll() itself fails all look closed. */
	for (first = 0; any && n; first += n) {
		any = false;
		for (i = 0; i < n; i++)
			fds[i] = (struct pollfd){ .fd = first + i, .revents = POLLNVAL };
		shim_poll_now(fds, n);
		for (i = 0; i < n; i++) {
			if (fds[i].revents & POLLNVAL)
				continue;
			any = true;
			visit(fds[i].fd, arg);
		}
	}
}
