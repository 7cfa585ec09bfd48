/* SPDX-License-Identifier: MIT */
/* All SMC sockets of the kernel, or its TCP sockets. */
#pragma once

#include "base/err.h"
#include "netlink/diag.h"
#include "smc/inet.h"

/* The attributes that the columns show. */
#define SOCKETS_EXT_ALL                                                                            \
	(SMC_DIAG_EXT(SMC_DIAG_CONNINFO) | SMC_DIAG_EXT(SMC_DIAG_LGRINFO) |                        \
	 SMC_DIAG_EXT(SMC_DIAG_DMBINFO))

/**
 * struct sockets_source - callbacks for a dump of all SMC sockets
 * @ext: bits of the sock_diag attributes that are needed, see SMC_DIAG_EXT()
 * @begin: drop earlier rows: the kernel's table changed during the dump, and the dump restarts
 * @end: the dump is complete; may be NULL
 * @is_final: true when the rows can no longer be dropped; NULL: they always can
 */
struct sockets_source {
	uint8_t ext;
	int (*begin)(void *arg);
	smc_diag_fn on_message;
	int (*end)(void *arg);
	const bool *is_final;
	void *arg;
};

/** sockets_fetch() - dump the sockets, loading SMC if need be. Return: 0, -errno with @err */
int sockets_fetch(const struct sockets_source *source, struct smc_err *err);

/** typedef sockets_tcp_request_fn - smc_inet_request() or smc_tcp_request() */
typedef struct inet_diag_req_v2 (*sockets_tcp_request_fn)(uint8_t family);

/**
 * sockets_tcp_dump() - TCP sockets of AF_INET or AF_INET6, as the kernel lists them
 *
 * Expensive: for each family, the kernel walks the table of all network namespaces.
 * Return: 0, -errno with @err.
 */
int sockets_tcp_dump(uint8_t family, sockets_tcp_request_fn request, smc_diag_fn fn, void *arg,
		     struct smc_err *err);
