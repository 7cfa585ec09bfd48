/* SPDX-License-Identifier: MIT */
/* IPsec policies as netlink's XFRM family shows them: bytes -> struct smc_xfrm. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "smc/sock.h"

/**
 * struct smc_xfrm - traffic that leaves this host transformed
 * @local, @peer: networks; the ports with their masks, 0 for any
 * @family: AF_UNSPEC for both
 * @proto: 0 for any
 */
struct smc_xfrm {
	uint8_t family, proto;
	struct smc_addr local, peer;
	uint8_t local_bits, peer_bits;
	uint16_t local_mask, peer_mask;
};

/** struct smc_xfrm_table - all of them; begin with all zero */
struct smc_xfrm_table {
	struct smc_xfrm *entries;
	size_t count, size;
};

/**
 * smc_xfrm_add() - read one answer to XFRM_MSG_GETPOLICY into the table; an smc_diag_fn
 *
 * Left out is what does not transform, and what is not for traffic that leaves.
 *
 * Return: 0, -EBADMSG for a short message, -ENOMEM.
 */
int smc_xfrm_add(const struct nlmsghdr *nlh, void *table);

/** smc_xfrm_has() - is there one for a TCP connection? */
bool smc_xfrm_has(const struct smc_xfrm_table *table, const struct smc_addr *local,
		  const struct smc_addr *peer);

void smc_xfrm_free(struct smc_xfrm_table *table);
