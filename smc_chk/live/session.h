/* SPDX-License-Identifier: MIT */
/* The server's side of one connection. */
#pragma once

#include <stdint.h>

/**
 * struct session_host - what a server does for its clients
 * @listen_extra: as PROTO_BUFFERS, while this client is served; returns the port, 0 if refused
 */
struct session_host {
	uint16_t (*listen_extra)(void *arg, uint64_t bytes);
	void *arg;
};

/**
 * session_serve() - greet, and answer until the client goes or its time is over; then close when
 *	it has taken everything, or takes no more
 * @fd: non-blocking
 * @host: NULL for a server that does nothing more than answer
 */
void session_serve(int fd, const struct session_host *host);

/** session_refuse() - say that the server is busy; close when that is taken, or after a second */
void session_refuse(int fd);
