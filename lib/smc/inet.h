/* SPDX-License-Identifier: MIT */
/*
 * Recover addresses that sock_diag leaves out, from the TCP sockets inside SMC sockets.
 *
 * Every SMC socket owns a TCP socket with the same ports, which inet_diag shows with its addresses.
 * The ports are the only common key, and not unique: only a single TCP socket that fits counts.
 */
#pragma once

#include "base/memory.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>

#include "smc/sock.h"

struct smc_inet_entry {
	struct smc_addr local, peer;
	uint32_t uid;
	bool is_listener;
};

/** struct smc_inet_table - all TCP sockets of a network namespace; zero-initialize */
struct smc_inet_table {
	struct smc_inet_entry *entries;
	size_t count;
	bool is_sorted;
};

ARRAY_FREE(smc_inet_free, smc_inet_table, entries)

/** smc_inet_request() - body of a sock_diag request for all TCP sockets of AF_INET or AF_INET6 */
struct inet_diag_req_v2 smc_inet_request(uint8_t family);

/** smc_inet_add() - smc_diag_fn: add an answer to the table. Return: 0, -EBADMSG if short */
int smc_inet_add(const struct nlmsghdr *nlh, void *table);

/** smc_inet_resolve() - fill in addresses. Return: true if exactly one TCP socket fits */
bool smc_inet_resolve(struct smc_inet_table *table, struct smc_sock *sock);

/* ---- shared with extra/lib/smc/tcp ---- */

/** smc_inet_message() - the fixed part of an answer. Return: 0, -EBADMSG for a short message */
int smc_inet_message(struct inet_diag_msg *msg, const struct nlmsghdr *nlh);

/** smc_inet_ends() - both addresses, unchanged: an IPv6 socket may have IPv4-mapped ones */
void smc_inet_ends(const struct inet_diag_msg *msg, struct smc_addr *local, struct smc_addr *peer);
