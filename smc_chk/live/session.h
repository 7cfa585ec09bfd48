/* SPDX-License-Identifier: MIT */
/* The server's side of one connection. */
#pragma once

#include <stdint.h>

/**
 * struct session_host - what a server does for its clients
 * @listen_extra: listen at a port whose connections get buffers of so many bytes, 0 for plain TCP,
 *	while this client is served. Return: the port, 0 if it was refused
 * @arg: of it
 */
struct session_host {
	uint16_t (*listen_extra)(void *arg, uint64_t bytes);
	void *arg;
};

/**
 * session_serve() - greet, and answer until the client goes or its time is over; then close when
 *	it has taken everything, or takes no more
 * @fd: a non-blocking socket
 * @host: NULL for a server that does nothing more than answer
 *
 * Its time: ten seconds to the end of its first request, a minute without any progress, ten
 * minutes in all.
 */
void session_serve(int fd, const struct session_host *host);

/**
 * session_refuse() - tell a client that the server is busy, and close when it has taken that, after
 *	a second at most
 * @fd: a non-blocking socket
 */
void session_refuse(int fd);
