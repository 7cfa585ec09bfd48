// SPDX-License-Identifier: MIT
/* getpeername(2) after shutdown(2). */
#include <errno.h>
#include <string.h>
#include <sys/param.h>
#include <sys/syscall.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/state/program_memory.h"
#include "ld_pre_smc/state/repair.h"

static int copy_address(int fd, const union shim_address *peer, struct sockaddr *addr,
			socklen_t *len)
{
	socklen_t room = 0;

	errno = EFAULT;
	/* The kernel checks the caller's pointers, and sets the length. */
	if (!shim_read(&room, fd, len, sizeof(room), SYS_connect) || getsockname(fd, addr, len))
		return -1;
	memcpy(addr, peer, MIN(room, *len));
	return 0;
}

/** getpeername() - getpeername(2) that knows the peer, until TCP has closed: then 6.12 may crash */
int getpeername(int fd, struct sockaddr *addr, socklen_t *len)
{
	int saved = errno, ret = next_getpeername(fd, addr, len);
	struct shim_route route;

	if (!ret || errno != ENOTCONN || !shim_repairs() || !shim_route_find(fd, &route) ||
	    !route.is_shut || !shim_is_tcp_active(fd) || !shim_mends(fd, REPAIR_PEER_NAME))
		return ret;
	ret = copy_address(fd, &route.to, addr, len);
	if (!ret)
		errno = saved;
	return ret;
}
