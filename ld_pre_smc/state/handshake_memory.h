/* SPDX-License-Identifier: MIT */
/* Routes of connections that the kernel no longer has. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#pragma GCC visibility push(hidden)

/**
 * struct shim_route - destination of a connection, and source requested by the program
 * @to: the peer's address
 * @from: address set by bind(2) before connect(2); family 0 for none
 * @is_shut: the connection was made, and shut down
 */
struct shim_route {
	union shim_address {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} to, from;
	bool is_shut;
};

/* Length of the address for connect(2) and bind(2). */
static inline socklen_t shim_address_len(const union shim_address *addr)
{
	return addr->any.sa_family == AF_INET6 ? sizeof(addr->in6) : sizeof(addr->in);
}

/** shim_route_from() - get the source address that the program has bound. Preserves errno */
void shim_route_from(struct shim_route *route, int fd);

/**
 * shim_route_keep() - remember the route of a connection in progress
 *
 * After the handshake has broken, the kernel no longer has the destination. A few hundred are kept
 * by the socket's unique cookie; for others the program gets the error. Preserves errno.
 */
void shim_route_keep(int fd, const struct shim_route *route);

/** shim_route_find() - get the route that shim_route_keep() stored for exactly this socket */
bool shim_route_find(int fd, struct shim_route *route);

/** shim_route_shut() - before shutdown(2): remember the peer for getpeername(2). Preserves errno */
void shim_route_shut(int fd);

/**
 * shim_handshake_broke() - true if connect(2) failed because the handshake broke
 * @err: errno of connect(2), or SO_ERROR of a non-blocking one
 *
 * The kernel returns ETIMEDOUT (no message from the peer for six seconds), EPROTO (an unexpected
 * message) or ECONNRESET and EPIPE (the peer closed), and the socket is neither connected nor
 * closed. If TCP itself fails, there is no TCP connection, and the error is another one.
 */
bool shim_handshake_broke(int fd, int err);

#pragma GCC visibility pop
