/* SPDX-License-Identifier: MIT */
/* SMC handshakes that broke after TCP was connected: what is remembered of them. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#pragma GCC visibility push(hidden)

/**
 * struct shim_route - where a connection goes, and where the program wants it to come from
 * @to: the peer's address
 * @from: what bind(2) gave the socket before connect(2); family 0 for nothing
 */
struct shim_route {
	union shim_address {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} to, from;
};

/* What connect(2) and bind(2) take for it. */
static inline socklen_t shim_address_len(const union shim_address *addr)
{
	return addr->any.sa_family == AF_INET6 ? sizeof(addr->in6) : sizeof(addr->in);
}

/**
 * shim_route_to() - where connect(2) goes, from nowhere in particular; no system call
 *
 * Return: false for addresses that TCP has not. Leaves errno as it was.
 */
bool shim_route_to(struct shim_route *route, const struct sockaddr *addr, socklen_t len);

/** shim_route_from() - before connect(2): the end that bind(2) gave. Leaves errno as it was */
void shim_route_from(struct shim_route *route, int fd);

/**
 * shim_route_keep() - remember the route of a connection in progress
 *
 * Nobody tells later, once the handshake has broken, where the socket was to be connected to. A few
 * hundred are remembered, by the socket's cookie, which no other socket ever has; of others the
 * program sees the error. Leaves errno as it was.
 */
void shim_route_keep(int fd, const struct shim_route *route);

/** shim_route_find() - what shim_route_keep() got for this very socket */
bool shim_route_find(int fd, struct shim_route *route);

/**
 * shim_handshake_broke() - whether that is why connect(2) failed
 * @err: errno of connect(2), or SO_ERROR of a non-blocking one
 *
 * The kernel answers ETIMEDOUT (the peer said nothing for six seconds), EPROTO (it said something
 * else) or ECONNRESET and EPIPE (it went away), and the socket is neither connected nor closed.
 * When TCP itself fails, there is no TCP connection, and the error is another one.
 */
bool shim_handshake_broke(int fd, int err);

#pragma GCC visibility pop
