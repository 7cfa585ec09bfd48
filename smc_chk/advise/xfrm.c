// SPDX-License-Identifier: MIT
/* IPsec policies as netlink's XFRM family shows them. */
#include "smc_chk/advise/xfrm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <libmnl/libmnl.h>
#include <linux/xfrm.h>

#include "base/array.h"

/**
 * struct smc_xfrm_shape - what of a connection policies look at; without holes
 * @family: AF_UNSPEC for both; @proto: 0 for any
 * @local_bits, @peer_bits: of the addresses
 * @local_mask, @peer_mask: of the ports
 */
struct smc_xfrm_shape {
	uint8_t family, proto, local_bits, peer_bits;
	uint16_t local_mask, peer_mask;
};

/* ---- reading ---- */

struct extras {
	bool has_template, is_special;
};

static struct extras extras_of(const struct nlmsghdr *nlh)
{
	struct extras extras = { .has_template = false };
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct xfrm_userpolicy_info)) {
		const size_t len = mnl_attr_get_payload_len(attr);
		const int type = mnl_attr_get_type(attr);
		struct xfrm_mark mark = { .v = 0 };

		/* What has no mark has the mark 0. */
		if (type == XFRMA_MARK && len >= sizeof(mark))
			memcpy(&mark, mnl_attr_get_payload(attr), sizeof(mark));
		extras.is_special |= mark.v & mark.m;
		if (type == XFRMA_IF_ID && len >= sizeof(uint32_t))
			extras.is_special |= mnl_attr_get_u32(attr);
		if (type == XFRMA_TMPL)
			extras.has_template = len;
	}
	return extras;
}

static uint8_t at_most(uint8_t bits, uint8_t family)
{
	const uint8_t most = family == AF_INET6 ? 128 : 32;

	return bits < most ? bits : most;
}

/* What counts of an address, and nothing else. */
static void set_network(uint8_t network[16], const void *ip, unsigned int bits)
{
	memcpy(network, ip, (bits + 7) / 8);
	if (bits % 8)
		network[bits / 8] &= (uint8_t)(0xff00 >> bits % 8);
}

static uint32_t find_shape(struct smc_xfrm_table *table, const struct smc_xfrm_shape *shape)
{
	for (size_t place = 0; place < table->n_shapes; place++)
		if (!memcmp(&table->shapes[place], shape, sizeof(*shape)))
			return (uint32_t)place;
	smc_array_append(&table->shapes, &table->n_shapes, &table->shapes_size, shape,
			 sizeof(*shape));
	return (uint32_t)table->n_shapes - 1;
}

/* ---- finding ---- */

static uint64_t hash_of(const struct smc_xfrm_key *key)
{
	return smc_index_hash(key, sizeof(*key), 0);
}

static bool is_same(const void *arg, size_t place, const void *key)
{
	const struct smc_xfrm *entry = &((const struct smc_xfrm_table *)arg)->entries[place];

	return !memcmp(&entry->key, key, sizeof(entry->key));
}

static struct smc_xfrm *find(const struct smc_xfrm_table *table, const struct smc_xfrm_key *key)
{
	size_t place = smc_index_find(&table->index, hash_of(key), is_same, table, key);

	return place == SMC_INDEX_NONE ? NULL : &table->entries[place];
}

static bool wins(const struct smc_xfrm *one, const struct smc_xfrm *other)
{
	if (one->priority != other->priority)
		return one->priority < other->priority;
	return one->number < other->number;
}

/* ---- all of it ---- */

static void add(struct smc_xfrm_table *table, const struct xfrm_userpolicy_info *info,
		bool is_ipsec)
{
	const struct xfrm_selector *sel = &info->sel;
	const uint8_t family = (uint8_t)sel->family;
	const struct smc_xfrm_shape shape = {
		.family = family,
		.proto = sel->proto,
		.local_bits = at_most(sel->prefixlen_s, family),
		.peer_bits = at_most(sel->prefixlen_d, family),
		.local_mask = ntohs(sel->sport_mask),
		.peer_mask = ntohs(sel->dport_mask),
	};
	struct smc_xfrm entry = {
		.key = { .shape = find_shape(table, &shape),
			 .local_port = ntohs(sel->sport) & shape.local_mask,
			 .peer_port = ntohs(sel->dport) & shape.peer_mask },
		.priority = info->priority,
		.number = info->index,
		.is_ipsec = is_ipsec,
	};
	struct smc_xfrm *same;

	set_network(entry.key.local, &sel->saddr, shape.local_bits);
	set_network(entry.key.peer, &sel->daddr, shape.peer_bits);
	same = find(table, &entry.key);
	if (!same)
		smc_index_append(&table->index, hash_of(&entry.key), &table->entries, &table->count,
				 &table->size, &entry, sizeof(entry));
	else if (wins(&entry, same))
		*same = entry;
}

int smc_xfrm_add(const struct nlmsghdr *nlh, void *data)
{
	struct xfrm_userpolicy_info info;
	struct extras extras;
	bool is_ipsec;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(info))
		return -EBADMSG;
	memcpy(&info, mnl_nlmsg_get_payload(nlh), sizeof(info));
	extras = extras_of(nlh);
	is_ipsec = info.action == XFRM_POLICY_ALLOW && extras.has_template;
	if (info.dir == XFRM_POLICY_OUT && !extras.is_special && (!info.sel.ifindex || is_ipsec))
		add(data, &info, is_ipsec);
	return 0;
}

bool smc_xfrm_has(const struct smc_xfrm_table *table, const struct smc_addr *local,
		  const struct smc_addr *peer)
{
	const struct smc_xfrm *best = NULL, *found;

	for (size_t i = 0; i < table->n_shapes; i++) {
		const struct smc_xfrm_shape *shape = &table->shapes[i];
		struct smc_xfrm_key key = { .shape = (uint32_t)i,
					    .local_port = local->port & shape->local_mask,
					    .peer_port = peer->port & shape->peer_mask };

		if ((shape->family && shape->family != peer->family) ||
		    (shape->proto && shape->proto != IPPROTO_TCP))
			continue;
		set_network(key.local, local->ip, shape->local_bits);
		set_network(key.peer, peer->ip, shape->peer_bits);
		found = find(table, &key);
		if (found && (!best || wins(found, best)))
			best = found;
	}
	return best && best->is_ipsec;
}

void smc_xfrm_free(struct smc_xfrm_table *table)
{
	free(table->entries);
	free(table->shapes);
	smc_index_free(&table->index);
	*table = (struct smc_xfrm_table){ 0 };
}
