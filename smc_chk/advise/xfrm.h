/* SPDX-License-Identifier: MIT */
/* IPsec policies as netlink's XFRM family shows them: bytes -> struct smc_xfrm. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>
#include <linux/xfrm.h>

#include "smc/sock.h"

/**
 * struct smc_xfrm - a policy for traffic that leaves this host
 * @sel: which traffic; "s" is the local end
 * @priority: the lowest number wins; of two that are equal the older policy, with the lower @number
 * @is_ipsec: it transforms; else it exempts from what others do
 */
struct smc_xfrm {
	struct xfrm_selector sel;
	uint32_t priority, number;
	bool is_ipsec;
};

/** struct smc_xfrm_table - all of them; begin with all zero */
struct smc_xfrm_table {
	struct smc_xfrm *entries;
	size_t count, size;
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
