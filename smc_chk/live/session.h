/* SPDX-License-Identifier: MIT */
/* The server's side of one connection. */
#pragma once

#include <stdint.h>

/**
 * struct session_host - services of the server for sessions
 * @listen_extra: as PROTO_BUFFERS, while this client is served; returns the port, 0 if refused
 */
struct session_host {
	uint16_t (*listen_extra)(void *arg, uint64_t bytes);
	void *arg;
};

/**
 * session_serve() - greet, and answer until the client leaves or its time is over; then wait until
 *	it has read everything, or reads no more, and close
 * @fd: non-blocking
 * @host: NULL for a server that only answers
 */
void session_serve(int fd, const struct session_host *host);

/**
 * session_refuse() - report that the server is busy; close after the client has read this, or after
 * a second
 */
void session_refuse(int fd);
