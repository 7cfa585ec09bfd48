// SPDX-License-Identifier: MIT
#include "smc_advise/xfrm.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>

#include "base/array.h"

/* True if it cannot be matched by address. @has_template: receives whether it transforms */
static bool is_special(const struct nlmsghdr *nlh, bool *has_template)
{
	const struct nlattr *attr;
	bool is_special = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct xfrm_userpolicy_info)) {
		const size_t len = mnl_attr_get_payload_len(attr);
		const int type = mnl_attr_get_type(attr);
		struct xfrm_mark mark = { .v = 0 };

		/* A missing mark is 0. */
		if (type == XFRMA_MARK && len >= sizeof(mark))
			memcpy(&mark, mnl_attr_get_payload(attr), sizeof(mark));
		is_special |= mark.v & mark.m;
		if (type == XFRMA_IF_ID && len >= sizeof(uint32_t))
			is_special |= mnl_attr_get_u32(attr);
		if (type == XFRMA_TMPL)
			*has_template = len;
	}
	return is_special;
}

int smc_xfrm_add(const struct nlmsghdr *nlh, void *data)
{
	struct smc_xfrm_table *table = data;
	struct xfrm_userpolicy_info info;
	struct smc_xfrm entry;
	bool has_template = false;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(info))
		return -EBADMSG;
	memcpy(&info, mnl_nlmsg_get_payload(nlh), sizeof(info));
	if (is_special(nlh, &has_template) || info.dir != XFRM_POLICY_OUT)
		return 0;
	entry = (struct smc_xfrm){ info.sel, info.priority, info.index,
				   info.action == XFRM_POLICY_ALLOW && has_template };
	if (!info.sel.ifindex || entry.is_ipsec)
		*smc_array_add(&table->entries, &table->count) = entry;
	return 0;
}

static bool covers(const void *network, unsigned int bits, const uint8_t ip[16], bool is_v6)
{
	const uint8_t *bytes = network;
	unsigned int most = is_v6 ? 128 : 32;

	bits = bits < most ? bits : most;
	return !memcmp(bytes, ip, bits / 8) &&
	       !(bits % 8 && (bytes[bits / 8] ^ ip[bits / 8]) >> (8 - bits % 8));
}

static bool fits(const struct xfrm_selector *sel, const struct smc_addr *local,
		 const struct smc_addr *peer)
{
	bool is_v6 = peer->family == AF_INET6;

	return (!sel->family || sel->family == peer->family) &&
	       (!sel->proto || sel->proto == IPPROTO_TCP) &&
	       !((sel->sport ^ htons(local->port)) & sel->sport_mask) &&
	       !((sel->dport ^ htons(peer->port)) & sel->dport_mask) &&
	       covers(&sel->saddr, sel->prefixlen_s, local->ip, is_v6) &&
	       covers(&sel->daddr, sel->prefixlen_d, peer->ip, is_v6);
}

bool smc_xfrm_has(const struct smc_xfrm_table *table, const struct smc_addr *local,
		  const struct smc_addr *peer)
{
	const struct smc_xfrm *best = NULL;

	for_each(entry, table->entries, table->count) {
		bool wins = !best || entry->priority < best->priority ||
			    (entry->priority == best->priority && entry->number < best->number);

		if (wins && fits(&entry->sel, local, peer))
			best = entry;
	}
	return best && best->is_ipsec;
}

void smc_xfrm_free(struct smc_xfrm_table *table)
{
	free(table->entries);
	*table = (struct smc_xfrm_table){ 0 };
}
