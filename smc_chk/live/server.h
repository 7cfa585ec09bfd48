/* SPDX-License-Identifier: MIT */
/* The server of the live test, for serve and -l. */
#pragma once

#include "smc_chk/live/endpoint.h"
#include "smc_chk/smc_chk.h"

struct server;

/**
 * server_open() - listen on the first free port
 * @addrs: one or two (IPv4 and IPv6) addresses; their port is set
 * @count: of @addrs; the second is given up if this system has no such addresses
 * @port: first to try; 0 leaves the choice to the kernel
 *
 * Return: 0, or -errno: -EAFNOSUPPORT where there is no SMC. A sentence in @err.
 */
int server_open(struct server **server, union endpoint_addr *addrs, int count, uint16_t port,
		struct smc_err *err);

/**
 * server_run() - serve until server_stop() or a signal, or, with @is_once, until a client has gone
 *	and none is left
 * @signal_fd: readable when it is time to end; -1 for none
 *
 * Return: 0, or -errno when it cannot accept any more.
 */
int server_run(struct server *server, int signal_fd, bool is_once, struct smc_err *err);

/** server_stop() - have server_run() return, from another thread */
void server_stop(struct server *server);

/** server_close() - closes the listeners; clients still there are served until they go */
void server_close(struct server *server);
