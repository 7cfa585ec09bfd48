// SPDX-License-Identifier: MIT
/* Routes of connections that the kernel no longer has. */
#include "ld_pre_smc/state/handshake_memory.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/slot.h"
#include "process/sockopt_numbers.h"

/* Number of connections in progress or shut down, indexed by cookie: the same for all copies. */
#define ROUTES 256
#define WORDS (sizeof(struct kept) / sizeof(unsigned int))

struct kept {
	uint64_t cookie;
	struct shim_route route;
};

static atomic_uint routes[ROUTES][SHIM_SLOT(WORDS)];

/* getsockname(2) of an unbound socket returns the wildcard address, port 0. */
static bool is_any(const union shim_address *addr)
{
	if (addr->any.sa_family == AF_INET)
		return !addr->in.sin_port && !addr->in.sin_addr.s_addr;
	return !addr->in6.sin6_port && IN6_IS_ADDR_UNSPECIFIED(&addr->in6.sin6_addr);
}

void shim_route_from(struct shim_route *route, int fd)
{
	socklen_t len = sizeof(route->from);
	AUTO_ERRNO();

	if (getsockname(fd, &route->from.any, &len) || is_any(&route->from))
		route->from.any.sa_family = AF_UNSPEC;
}

/* 0 if the kernel does not support it. */
static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);
	AUTO_ERRNO();

	next_getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len);
	return cookie;
}

void shim_route_keep(int fd, const struct shim_route *route)
{
	struct kept kept = { .cookie = cookie_of(fd), .route = *route };
	unsigned int words[WORDS];

	if (!kept.cookie)
		return;
	memcpy(words, &kept, sizeof(kept));
	shim_slot_write(routes[kept.cookie % ROUTES], words, WORDS);
}

bool shim_route_find(int fd, struct shim_route *route)
{
	uint64_t cookie = cookie_of(fd);
	unsigned int words[WORDS];
	struct kept kept;

	if (!shim_slot_read(routes[cookie % ROUTES], words, WORDS))
		return false;
	memcpy(&kept, words, sizeof(kept));
	*route = kept.route;
	return kept.cookie == cookie;
}

void shim_route_shut(int fd)
{
	struct shim_route route = { .is_shut = true };
	socklen_t len = sizeof(route.to);
	AUTO_ERRNO();

	if (!next_getpeername(fd, &route.to.any, &len))
		shim_route_keep(fd, &route);
}

bool shim_handshake_broke(int fd, int err)
{
	int state = shim_tcp_state(fd);

	if (!err || err == EINPROGRESS || err == EALREADY || err == EISCONN || err == EINTR ||
	    err == ECONNREFUSED || state <= 0 || state == TCP_LISTEN || state == TCP_SYN_SENT)
		return false;
	if (state == TCP_CLOSE && err != ECONNRESET && err != EPIPE && err != EPROTO)
		return false;
	/* A connection that broke later had been connected, or is closed. */
	return !(shim_events(fd, POLLIN | POLLOUT | POLLRDHUP) & ~POLLERR) &&
	       !shim_is_connected(fd);
}
