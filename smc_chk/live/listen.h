/* SPDX-License-Identifier: MIT */
/* Listening sockets of the live test. */
#ifndef SMC_CHK_LISTEN_H
#define SMC_CHK_LISTEN_H

#include "base/err.h"
#include "smc_chk/live/endpoint.h"

/**
 * listen_on_free_port() - listen on all addresses, at the first port that is free on all of them
 * @fds: receives @n_fds descriptors
 * @addrs: one or two (IPv4 and IPv6) addresses; their port is set
 * @count: of @addrs; the second is given up if this system has no such addresses
 * @port: first to try; 0 leaves the choice to the kernel
 *
 * Return: 0; -errno with @err.
 */
int listen_on_free_port(int fds[2], int *n_fds, union endpoint_addr *addrs, int count,
			uint16_t port, struct smc_err *err);

#endif
