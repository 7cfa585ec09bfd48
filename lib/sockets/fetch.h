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
 * struct sockets_source - who takes all SMC sockets of the kernel
 * @ext: bits of the sock_diag attributes that are needed, see SMC_DIAG_EXT()
 * @begin: forget what came: the kernel's table changed meanwhile, and all comes again
 * @end: all has come; NULL is allowed
 * @is_final: it cannot be forgotten any more; NULL: it always can
 */
struct sockets_source {
	uint8_t ext;
	int (*begin)(void *arg);
	smc_diag_fn on_message;
	int (*end)(void *arg);
	const bool *is_final;
	void *arg;
};

/** sockets_fetch() - ask the kernel, make it load SMC if need be. Return: 0, -errno with @err */
int sockets_fetch(const struct sockets_source *source, struct smc_err *err);

/** typedef sockets_tcp_request_fn - smc_inet_request() or smc_tcp_request() */
typedef struct inet_diag_req_v2 (*sockets_tcp_request_fn)(uint8_t family);

/**
 * sockets_tcp_dump() - TCP sockets of AF_INET or AF_INET6, as far as the kernel tells
 *
 * Dear: for each, the kernel walks the table of all network namespaces.
 * Return: 0, -errno with @err.
 */
int sockets_tcp_dump(uint8_t family, sockets_tcp_request_fn request, smc_diag_fn fn, void *arg,
		     struct smc_err *err);
