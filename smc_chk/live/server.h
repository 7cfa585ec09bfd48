/* SPDX-License-Identifier: MIT */
/* The server of the live test, for serve and -l. */
#pragma once

#include "smc_chk/live/endpoint.h"
#include "smc_chk/smc_chk.h"

struct server;

/**
 * server_open() - listen on the first free port
 * @addrs: @count of them, which get the port; the second, of IPv6, may not be there
 * @port: first to try; 0 leaves the choice to the kernel
 *
 * Return: 0, -errno with @err.
 */
int server_open(struct server **server, union endpoint_addr *addrs, int count, uint16_t port,
		struct smc_err *err);

/**
 * server_run() - serve until server_stop(), or something is in @signal_fd (-1 for none), or, with
 *	@is_once, a client has gone and none is left
 *
 * Return: 0; -errno with @err when it cannot accept any more.
 */
int server_run(struct server *server, int signal_fd, bool is_once, struct smc_err *err);

/** server_stop() - have server_run() return, from another thread */
void server_stop(struct server *server);

/** server_close() - closes the listeners; clients still there are served until they go */
void server_close(struct server *server);
