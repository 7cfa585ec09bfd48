// SPDX-License-Identifier: MIT
/* Number of a network namespace, for programs that do not enter others. */
#include <sys/stat.h>

#include "net/netns.h"
#include "smc/family.h"

uint64_t smc_netns_id(void)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);
	struct stat st;
	int fd AUTO_CLOSE = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && !getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len))
		return cookie;
	return stat("/proc/thread-self/ns/net", &st) ? 0 : st.st_ino;
}
