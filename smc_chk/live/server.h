/* SPDX-License-Identifier: MIT */
/* The server of the live test, for serve and -l. */
#pragma once

#include "smc_chk/live/endpoint.h"
#include "smc_chk/smc_chk.h"

/**
 * server_open() - listen on the first free port; a process has one server at a time
 * @addrs: @count addresses, which receive the port; the second one, IPv6, may be missing
 * @port: first to try; 0 lets the kernel choose
 */
int server_open(union endpoint_addr *addrs, int count, uint16_t port, struct smc_err *err);

/**
 * server_run() - serve until @signal_fd (-1 for none) is readable, or, with @is_once, until the
 * last client has gone
 *
 * Return: 0; -errno with @err if it can no longer accept.
 */
int server_run(int signal_fd, bool is_once, struct smc_err *err);

/** server_close() - close the listeners; clients are served as long as the process lives */
void server_close(void);

/* ---- the server's side of one connection ---- */

/**
 * session_serve() - greet, and answer until the client leaves or its time is over; then wait until
 * it has read everything or stops reading, and close
 * @fd: non-blocking
 */
void session_serve(int fd);

/** session_refuse() - report "busy"; close when the client has read it, or after a second */
void session_refuse(int fd);
