// SPDX-License-Identifier: MIT
/* IPsec policies as netlink's XFRM family shows them. */
#include "smc/xfrm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <libmnl/libmnl.h>
#include <linux/xfrm.h>

#include "base/array.h"

static bool has_template(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct xfrm_userpolicy_info))
		if (mnl_attr_get_type(attr) == XFRMA_TMPL && mnl_attr_get_payload_len(attr))
			return true;
	return false;
}

static void set_end(struct smc_addr *addr, const xfrm_address_t *ip, uint16_t port, uint8_t family)
{
	addr->family = family;
	addr->port = ntohs(port);
	memcpy(addr->ip, ip, family == AF_INET6 ? 16 : 4);
}

int smc_xfrm_add(const struct nlmsghdr *nlh, void *data)
{
	struct smc_xfrm_table *table = data;
	struct xfrm_userpolicy_info info;
	const struct xfrm_selector *sel = &info.sel;
	struct smc_xfrm *entry;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(info))
		return -EBADMSG;
	memcpy(&info, mnl_nlmsg_get_payload(nlh), sizeof(info));
	if (info.dir != XFRM_POLICY_OUT || info.action != XFRM_POLICY_ALLOW || !has_template(nlh))
		return 0;
	entry = smc_array_add(&table->entries, &table->count, &table->size, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->family = (uint8_t)sel->family;
	entry->proto = sel->proto;
	set_end(&entry->local, &sel->saddr, sel->sport, entry->family);
	set_end(&entry->peer, &sel->daddr, sel->dport, entry->family);
	entry->local_bits = sel->prefixlen_s;
	entry->peer_bits = sel->prefixlen_d;
	entry->local_mask = ntohs(sel->sport_mask);
	entry->peer_mask = ntohs(sel->dport_mask);
	return 0;
}

static bool is_in(const struct smc_addr *net, unsigned int bits, uint16_t mask,
		  const struct smc_addr *addr)
{
	unsigned int most = addr->family == AF_INET6 ? 128 : 32;

	bits = bits < most ? bits : most;
	if ((net->port ^ addr->port) & mask || memcmp(net->ip, addr->ip, bits / 8))
		return false;
	return !(bits % 8) || !((net->ip[bits / 8] ^ addr->ip[bits / 8]) >> (8 - bits % 8));
}

bool smc_xfrm_has(const struct smc_xfrm_table *table, const struct smc_addr *local,
		  const struct smc_addr *peer)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct smc_xfrm *entry = &table->entries[i];

		if ((entry->family && entry->family != peer->family) ||
		    (entry->proto && entry->proto != IPPROTO_TCP))
			continue;
		if (is_in(&entry->local, entry->local_bits, entry->local_mask, local) &&
		    is_in(&entry->peer, entry->peer_bits, entry->peer_mask, peer))
			return true;
	}
	return false;
}

void smc_xfrm_free(struct smc_xfrm_table *table)
{
	free(table->entries);
	*table = (struct smc_xfrm_table){ 0 };
}
