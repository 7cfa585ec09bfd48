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
 *
 * Return: 0, -errno with @err.
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
