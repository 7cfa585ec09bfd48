/* SPDX-License-Identifier: MIT */
/* IPsec policies as netlink's XFRM family shows them: bytes -> struct smc_xfrm. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "base/index.h"
#include "smc/sock.h"

/**
 * struct smc_xfrm_key - what of a connection a policy is for; without holes
 * @shape: what of addresses and ports counts, an index into the table's shapes
 * @local, @peer: networks; the rest of an address, and a port that does not count, are 0
 */
struct smc_xfrm_key {
	uint32_t shape;
	uint8_t local[16], peer[16];
	uint16_t local_port, peer_port;
};

/**
 * struct smc_xfrm - a policy for traffic that leaves this host
 * @priority: the lowest number wins; of two that are equal the older policy, with the lower @number
 * @is_ipsec: it transforms; else it exempts from what others do
 */
struct smc_xfrm {
	struct smc_xfrm_key key;
	uint32_t priority, number;
	bool is_ipsec;
};

struct smc_xfrm_shape;

/**
 * struct smc_xfrm_table - all of them; begin with all zero
 * @entries: at most one for each shape with its addresses and ports: the one that wins
 * @index: finds them
 * @shapes: a host with thousands of policies has a few of these
 */
struct smc_xfrm_table {
	struct smc_xfrm *entries;
	size_t count, size;
	struct smc_index index;
	struct smc_xfrm_shape *shapes;
	size_t n_shapes, shapes_size;
};

/**
 * smc_xfrm_add() - read one answer to XFRM_MSG_GETPOLICY into the table; an smc_diag_fn
 *
 * Without those for traffic that comes in, and those for an XFRM interface or with a mark, which
 * addresses do not tell. Of those for one device only what transforms counts.
 *
 * Return: 0, -EBADMSG for a short message.
 */
int smc_xfrm_add(const struct nlmsghdr *nlh, void *table);

/** smc_xfrm_has() - does the policy that wins transform a TCP connection? */
bool smc_xfrm_has(const struct smc_xfrm_table *table, const struct smc_addr *local,
		  const struct smc_addr *peer);

void smc_xfrm_free(struct smc_xfrm_table *table);
