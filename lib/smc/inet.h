/* SPDX-License-Identifier: MIT */
/*
 * The TCP sockets inside SMC sockets, to recover addresses that sock_diag does not tell.
 *
 * Every SMC socket owns a TCP socket of the same ports. inet_diag shows that one with its
 * addresses; both views have the ports in common, and nothing else that is unique: an answer
 * counts only when a single TCP socket fits.
 */
#pragma once

#include <stddef.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>

#include "smc/sock.h"

struct smc_inet_entry {
	struct smc_addr local, peer;
	uint32_t uid;
	bool is_listener;
};

/** struct smc_inet_table - all TCP sockets of a network namespace; begin with all zero */
struct smc_inet_table {
	struct smc_inet_entry *entries;
	size_t count, size;
	bool is_sorted;
};

/** smc_inet_request() - body of a sock_diag request for all TCP sockets of AF_INET or AF_INET6 */
struct inet_diag_req_v2 smc_inet_request(uint8_t family);

/** smc_inet_add() - an smc_diag_fn: add an answer to the table. Return: 0, -EBADMSG if short */
int smc_inet_add(const struct nlmsghdr *nlh, void *table);

/**
 * smc_inet_resolve() - complete the addresses of a socket
 *
 * Return: true when exactly one TCP socket fits and @sock now has its addresses.
 */
bool smc_inet_resolve(struct smc_inet_table *table, struct smc_sock *sock);

void smc_inet_free(struct smc_inet_table *table);

/* ---- what these have in common with lib/smc/tcp ---- */

/** smc_inet_message() - the fixed part of an answer. Return: 0, -EBADMSG for a short message */
int smc_inet_message(struct inet_diag_msg *msg, const struct nlmsghdr *nlh);

/** smc_inet_ends() - its two addresses, as they are: an IPv6 socket may have v4-mapped ones */
void smc_inet_ends(const struct inet_diag_msg *msg, struct smc_addr *local, struct smc_addr *peer);
