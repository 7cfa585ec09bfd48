/* SPDX-License-Identifier: MIT */
/* Decode IPsec policies of netlink's XFRM family: bytes -> struct smc_xfrm. Pure. */
#pragma once

#include <netinet/in.h> /* before the kernel's: musl */
#include <linux/netlink.h>
#include <linux/xfrm.h>

#include "smc/sock.h"

/**
 * struct smc_xfrm - a policy for outbound traffic
 * @sel: selected traffic; "s" is the local end
 * @priority: the lowest number wins; if equal, the older policy, with the lower @number
 * @is_ipsec: the policy transforms packets; otherwise it exempts them from other policies
 */
struct smc_xfrm {
	struct xfrm_selector sel;
	uint32_t priority, number;
	bool is_ipsec;
};

/** struct smc_xfrm_table - all policies; begin with all zero */
struct smc_xfrm_table {
	struct smc_xfrm *entries;
	size_t count;
};

/**
 * smc_xfrm_add() - add an answer to XFRM_MSG_GETPOLICY to the table; an smc_diag_fn
 *
 * Skips inbound policies and those with an XFRM interface or a mark, which cannot be matched by
 * address. Adds policies for a single device only if they transform.
 * Return: 0, -EBADMSG for a short message.
 */
int smc_xfrm_add(const struct nlmsghdr *nlh, void *table);

/** smc_xfrm_has() - true if the policy that wins transforms a TCP connection */
bool smc_xfrm_has(const struct smc_xfrm_table *table, const struct smc_addr *local,
		  const struct smc_addr *peer);

void smc_xfrm_free(struct smc_xfrm_table *table);
