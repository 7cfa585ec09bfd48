// SPDX-License-Identifier: MIT
/* Connect by TCP if an SMC connection cannot be made. */
#include "ld_pre_smc/state/broken_handshake.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/replace_socket.h"

/* First port that the kernel chooses itself: net.ipv4.ip_local_port_range. */
#define FIRST_OWN_PORT 32768

void shim_keep_address(int fd, const union shim_address *from)
{
	bool has_host = from->any.sa_family == AF_INET6 ?
				!IN6_IS_ADDR_UNSPECIFIED(&from->in6.sin6_addr) :
				from->in.sin_addr.s_addr;

	if (has_host)
		shim_bind_again(fd, from, 0, FIRST_OWN_PORT);
}

/* @err: returned if no TCP socket can replace the socket. */
static int connect_tcp(struct shim_fd *fd, const struct shim_route *route, const char *why, int err)
{
	if (shim_replace_unbound(fd, KIND_TCP, why) ||
	    shim_bind_again(fd->number, &route->from, 0, FIRST_OWN_PORT))
		return err;
	return next_connect(fd->number, &route->to.any, shim_address_len(&route->to)) ? errno : 0;
}

int shim_retry_tcp(struct shim_fd *fd, const struct shim_route *route, int err)
{
	struct shim_config own;

	if (shim_config_get(&own)->strict || !shim_handshake_broke(fd->number, err) ||
	    !shim_mends(fd->number, REPAIR_HANDSHAKE))
		return err;
	shim_lives_broke(fd->number, &route->to.any);
	return connect_tcp(fd, route, "the SMC handshake broke", err);
}

int shim_retry_tcp_late(struct shim_fd *fd, int err)
{
	AUTO_ERRNO();
	struct shim_route route;

	if (shim_route_find(fd->number, &route) && shim_fd_is_smc(fd))
		err = shim_retry_tcp(fd, &route, err);
	return err == EINPROGRESS ? 0 : err;
}

int shim_lost_error(int fd)
{
	/* The last word is tcpi_segs_in of <linux/tcp.h>, which the struct of glibc lacks. */
	union {
		struct tcp_info tcp;
		uint32_t words[36];
	} info = { .words = { 0 } };
	socklen_t len = sizeof(info);
	int tries = shim_int_option(fd, IPPROTO_TCP, TCP_SYNCNT);

	if (next_getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) ||
	    info.tcp.tcpi_state != TCP_CLOSE || info.words[35])
		return 0;
	if (info.tcp.tcpi_total_retrans && shim_int_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT) > 0)
		return ETIMEDOUT;
	return (int)info.tcp.tcpi_total_retrans < tries ? EHOSTUNREACH : ETIMEDOUT;
}

int shim_shut_attempt(struct shim_fd *fd, int how)
{
	int flags = fcntl(fd->number, F_GETFL);
	struct shim_route route;

	if (shim_tcp_state(fd->number) != TCP_SYN_SENT || !shim_fd_has(fd, FD_OWN) ||
	    !shim_route_find(fd->number, &route) || !shim_fd_is_smc(fd) ||
	    !shim_mends(fd->number, REPAIR_SHUTDOWN_CONNECT))
		return ENOTCONN;
	fcntl(fd->number, F_SETFL, flags | O_NONBLOCK);
	connect_tcp(fd, &route, "shutdown() while connecting", 0);
	fcntl(fd->number, F_SETFL, flags);
	return next_shutdown(fd->number, how) ? errno : 0;
}
