// SPDX-License-Identifier: MIT
#include "smc/inet.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>

#include "base/array.h"
#include "base/memory.h"
#include "smc/attr.h"

#define TCP_STATE_LISTEN 10

struct inet_diag_req_v2 smc_inet_request(uint8_t family)
{
	return (struct inet_diag_req_v2){
		.sdiag_family = family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_states = ~0U,
	};
}

static void set_addr(struct smc_addr *addr, uint8_t family, const uint32_t *words, uint16_t port)
{
	addr->family = family;
	addr->port = ntohs(port);
	memset(addr->ip, 0, sizeof(addr->ip));
	memcpy(addr->ip, words, family == AF_INET6 ? 16 : 4);
}

int smc_inet_message(struct inet_diag_msg *msg, const struct nlmsghdr *nlh)
{
	static const struct smc_order_run order[] = { { 40, 1 }, { 32, 4 }, { 0 } };

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg))
		return -EBADMSG;
	memcpy(msg, mnl_nlmsg_get_payload(nlh), sizeof(*msg));
	if (nlh->nlmsg_flags & SMC_ORDER_MESSAGE)
		smc_order_turn(msg, sizeof(*msg), order);
	return 0;
}

void smc_inet_ends(const struct inet_diag_msg *msg, struct smc_addr *local, struct smc_addr *peer)
{
	set_addr(local, msg->idiag_family, msg->id.idiag_src, msg->id.idiag_sport);
	set_addr(peer, msg->idiag_family, msg->id.idiag_dst, msg->id.idiag_dport);
}

int smc_inet_add(const struct nlmsghdr *nlh, void *data)
{
	struct smc_inet_table *table = data;
	struct smc_inet_entry *entry;
	struct inet_diag_msg msg;
	int ret = smc_inet_message(&msg, nlh);

	if (ret)
		return ret;
	entry = smc_array_add(&table->entries, &table->count);
	smc_inet_ends(&msg, &entry->local, &entry->peer);
	entry->uid = msg.idiag_uid;
	entry->is_listener = msg.idiag_state == TCP_STATE_LISTEN;
	table->is_sorted = false;
	return 0;
}

static int compare_ports(const void *a, const void *b)
{
	const struct smc_inet_entry *x = a, *y = b;

	if (x->local.port != y->local.port)
		return x->local.port < y->local.port ? -1 : 1;
	return (x->peer.port > y->peer.port) - (x->peer.port < y->peer.port);
}

static const struct smc_inet_entry *first_with_ports(const struct smc_inet_table *table,
						     const struct smc_inet_entry *key)
{
	const struct smc_inet_entry *entry =
		smc_array_search(key, table->entries, table->count, compare_ports);

	while (entry && entry > table->entries && !compare_ports(entry - 1, key))
		entry--;
	return entry;
}

static bool is_zero(const uint8_t *ip)
{
	static const uint8_t zero[16];

	return !memcmp(ip, zero, sizeof(zero));
}

/* True if the TCP socket is consistent with the data of sock_diag. */
static bool fits(const struct smc_inet_entry *entry, const struct smc_sock *sock)
{
	bool is_listener = sock->state == SMC_ABI_LISTEN;

	if (entry->is_listener != is_listener)
		return false;
	if (sock->family != AF_SMC && sock->family != entry->local.family)
		return false;
	if (!is_zero(sock->local.ip) || !is_zero(sock->peer.ip))
		return !memcmp(entry->local.ip, sock->local.ip, 16) &&
		       !memcmp(entry->peer.ip, sock->peer.ip, 16);
	/* The address of a listening AF_SMC socket is known: zero means the wildcard. */
	return !(is_listener && sock->family == AF_SMC) || is_zero(entry->local.ip);
}

bool smc_inet_resolve(struct smc_inet_table *table, struct smc_sock *sock)
{
	const struct smc_inet_entry key = { .local = sock->local, .peer = sock->peer };
	const struct smc_inet_entry *entry, *found = NULL, *owned = NULL;
	size_t n_found = 0, n_owned = 0;

	if (!table->is_sorted)
		smc_array_sort(table->entries, table->count, compare_ports);
	table->is_sorted = true;
	for (entry = first_with_ports(table, &key);
	     entry && entry < table->entries + table->count && !compare_ports(entry, &key);
	     entry++) {
		if (!fits(entry, sock))
			continue;
		found = entry;
		n_found++;
		if (entry->uid == sock->uid) {
			owned = entry;
			n_owned++;
		}
	}
	if (n_owned == 1)
		found = owned;
	else if (n_found != 1)
		return false;
	sock->local = found->local;
	sock->peer = found->peer;
	return true;
}
