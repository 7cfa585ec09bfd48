/* SPDX-License-Identifier: MIT */
/* The server of the live test, for serve and -l. */
#pragma once

#include "smc_chk/live/endpoint.h"
#include "smc_chk/smc_chk.h"

struct server;

/**
 * server_open() - listen on the first free port
 * @addrs: @count addresses, which receive the port; the second one, IPv6, may be missing
 * @port: first to try; 0 lets the kernel choose
 */
int server_open(struct server **server, union endpoint_addr *addrs, int count, uint16_t port,
		struct smc_err *err);

/**
 * server_run() - serve until server_stop(), until @signal_fd (-1 for none) is readable, or, with
 * @is_once, until the last client has gone
 *
 * Return: 0; -errno with @err if it can no longer accept.
 */
int server_run(struct server *server, int signal_fd, bool is_once, struct smc_err *err);

/** server_stop() - make server_run() return; for another thread */
void server_stop(struct server *server);

/** server_close() - close the listeners; remaining clients are served until they leave */
void server_close(struct server *server);

/* ---- the server's side of one connection ---- */

/**
 * session_serve() - greet, and answer until the client leaves or its time is over; then wait until
 * it has read everything or stops reading, and close
 * @fd: non-blocking
 */
void session_serve(int fd);

/** session_refuse() - report "busy"; close when the client has read it, or after a second */
void session_refuse(int fd);
