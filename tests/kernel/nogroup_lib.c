// SPDX-License-Identifier: MIT
/* A kernel that lets nobody listen to netlink's groups: for what a tool does without them. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <linux/netlink.h>
#include <sys/socket.h>

int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	int (*next)(int, const struct sockaddr *, socklen_t) = NULL;
	struct sockaddr_nl nl;

	*(void **)&next = dlsym(RTLD_NEXT, "bind");
	if (addr->sa_family == AF_NETLINK && len >= sizeof(nl)) {
		memcpy(&nl, addr, sizeof(nl));
		if (nl.nl_groups) {
			errno = EPERM;
			return -1;
		}
	}
	return next(fd, addr, len);
}
