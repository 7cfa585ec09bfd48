// SPDX-License-Identifier: MIT
#include "smc_advise/tally.h"

#include <sys/param.h>
#include <sys/socket.h>

#include "base/array.h"
#include "base/memory.h"

#define PORTS 65536

/** struct tally_holder - @owner of the socket with this @inode, 0 for none; @is_asked: looked up */
struct tally_holder {
	uint64_t inode;
	uint32_t owner;
	bool is_asked;
};

/**
 * struct tally_conn - an open connection
 * @born: when it was first seen; @is_old: it existed before the watch
 * @round: of the last poll that listed it
 * @is_past: its program closed it before the watch: not counted, but may belong to SMC
 */
struct tally_conn {
	struct smc_tcp tcp;
	struct tally_holder holder;
	uint64_t born;
	unsigned int round;
	enum tally_carrier carrier;
	enum tally_side side;
	bool is_old, is_past;
};

/* A listening port. If sockets listen on it at different addresses, the last one counts. */
struct tally_listener {
	struct tally_holder holder;
	bool is_there, is_smc;
};

uint32_t tally_owner(struct tally *tally, const struct tally_owner *owner)
{
	for (size_t i = 0; i < tally->n_owners; i++) {
		const struct tally_owner *other = &tally->owners[i];

		if (!strcmp(owner->comm, other->comm) && !strcmp(owner->unit, other->unit) &&
		    owner->is_user == other->is_user)
			return (uint32_t)i;
	}
	if (tally->n_owners == TALLY_OWNERS_MAX) {
		tally->is_capped = true;
		return 0;
	}
	*smc_array_add(&tally->owners, &tally->n_owners) = *owner;
	return (uint32_t)tally->n_owners - 1;
}

void tally_start(struct tally *tally)
{
	tally->listeners = xcalloc(PORTS, sizeof(*tally->listeners));
	/* Owner 0 means unknown. */
	smc_array_add(&tally->owners, &tally->n_owners);
}

void tally_free(struct tally *tally)
{
	free(tally->live);
	free(tally->listeners);
	free(tally->owners);
	free(tally->groups);
	smc_index_free(&tally->by_cookie);
	smc_index_free(&tally->by_group);
	*tally = (struct tally){ 0 };
}

enum tally_peers tally_peers_of(const struct netaddr_table *own, const struct smc_addr *peer)
{
	const struct netaddr other = netaddr_of(peer);
	bool is_near = netaddr_is_private(&other);

	if (peer->family == AF_INET ? peer->ip[0] == 127 :
				      IN6_IS_ADDR_LOOPBACK((const struct in6_addr *)other.bytes))
		return PEERS_LOCAL;
	for_each(addr, own->addrs, own->count) {
		if (netaddr_covers(&other, addr))
			return PEERS_LOCAL;
		is_near = is_near || (addr->prefix && netaddr_covers(addr, &other));
	}
	return is_near ? PEERS_NEAR : PEERS_INTERNET;
}

/* ---- groups, and their counts ---- */

static bool is_same(const struct tally_group *a, const struct tally_group *b)
{
	return a->owner == b->owner && a->side == b->side && a->port == b->port &&
	       a->peers == b->peers && a->carrier == b->carrier && a->bar == b->bar &&
	       a->peer.family == b->peer.family &&
	       !memcmp(a->peer.ip, b->peer.ip, sizeof(a->peer.ip));
}

static uint64_t group_hash(const struct tally_group *key)
{
	const uint32_t parts[] = { key->owner,	 key->side, key->port,	     key->peers,
				   key->carrier, key->bar,  key->peer.family };

	return smc_index_hash(key->peer.ip, sizeof(key->peer.ip),
			      smc_index_hash(parts, sizeof(parts), 0));
}

static bool is_group(const void *arg, size_t place, const void *key)
{
	return is_same(&((const struct tally *)arg)->groups[place], key);
}

static struct tally_group *find_group(const struct tally *tally, const struct tally_group *key)
{
	size_t place = smc_index_find(&tally->by_group, group_hash(key), is_group, tally, key);

	return place == SMC_INDEX_NONE ? NULL : &tally->groups[place];
}

/* True if the process has its maximum of rows for this port: the rest share a row. */
static bool has_many_peers(const struct tally *tally, const struct tally_group *key)
{
	size_t near = 0;

	for_each(group, tally->groups, tally->n_groups)
		near += group->peers == PEERS_NEAR && group->owner == key->owner &&
			group->side == key->side && group->port == key->port;
	return near >= TALLY_PEERS_MAX;
}

/* Add a row: for the peer, for the service's other peers, or for the rest. */
static struct tally_group *make_group(struct tally *tally, const struct tally_group *key)
{
	struct tally_group made = *key, *group;

	if (key->peers == PEERS_NEAR) {
		made.peers = PEERS_OTHER;
		made.peer = (struct smc_addr){ 0 };
		group = find_group(tally, &made);
		if (group)
			return group;
	}
	if (tally->n_groups >= TALLY_GROUPS_MAX) {
		tally->is_capped = true;
		made = (struct tally_group){ .peers = PEERS_OTHER,
					     .carrier = key->carrier,
					     .bar = key->bar,
					     .sample = key->sample,
					     .local = key->local };
		group = find_group(tally, &made);
		if (group)
			return group;
	} else if (key->peers == PEERS_NEAR && !has_many_peers(tally, key)) {
		made = *key;
	}
	*smc_array_add(&tally->groups, &tally->n_groups) = made;
	smc_index_add(&tally->by_group, group_hash(&made), tally->n_groups - 1);
	return &tally->groups[tally->n_groups - 1];
}

static enum tally_side side_of(const struct tally *tally, const struct smc_tcp *tcp, bool is_local)
{
	if (tally->listeners[tcp->local.port].is_there)
		return SIDE_SERVER;
	if (!is_local || tally->listeners[tcp->peer.port].is_there)
		return SIDE_CLIENT;
	/* The listener is gone. Ephemeral ports are usually higher than those of servers. */
	return tcp->local.port < tcp->peer.port ? SIDE_SERVER : SIDE_CLIENT;
}

static enum tally_bar bar_of(const struct tally *tally, const struct smc_tcp *tcp)
{
	if (*tcp->ulp)
		return strcmp(tcp->ulp, "mptcp") ? BAR_ULP : BAR_MPTCP;
	if (tcp->is_signed)
		return BAR_SIGNED;
	if (tcp->is_fast_open)
		return BAR_FAST_OPEN;
	return tally->policies && smc_xfrm_has(tally->policies, &tcp->local, &tcp->peer) ?
		       BAR_IPSEC :
		       BAR_NONE;
}

/* Take from the listener what the source does not know. */
static struct tally_group *group_of(struct tally *tally, const struct tally_conn *conn)
{
	const struct smc_tcp *tcp = &conn->tcp;
	struct tally_group key = { .owner = conn->holder.owner,
				   .side = conn->side,
				   .carrier = conn->carrier,
				   .sample = tcp->peer,
				   .local = tcp->local };
	const struct tally_listener *listener;
	struct tally_group *found;

	key.peers = tally_peers_of(tally->own, &tcp->peer);
	if (!key.side)
		key.side = side_of(tally, tcp, key.peers == PEERS_LOCAL);
	key.port = key.side == SIDE_SERVER ? tcp->local.port : tcp->peer.port;
	listener = &tally->listeners[key.port];
	if (key.side == SIDE_SERVER && !key.owner)
		key.owner = listener->holder.owner;
	if (key.side == SIDE_SERVER && !key.carrier && listener->is_smc)
		key.carrier = CARRIER_SMC;
	if (key.carrier == CARRIER_TCP)
		key.bar = bar_of(tally, tcp);
	if (key.peers != PEERS_INTERNET) {
		key.peer = tcp->peer;
		key.peer.port = 0;
	}
	found = find_group(tally, &key);
	return found ? found : make_group(tally, &key);
}

static struct tally_group *count(struct tally *tally, const struct tally_conn *conn, uint64_t now)
{
	struct tally_group *group = group_of(tally, conn);
	const struct smc_tcp *tcp = &conn->tcp;
	uint64_t bytes = tcp->sent + tcp->received;

	group->conns++;
	group->life += now - conn->born;
	if (!tcp->has_info)
		return group;
	group->n_info++;
	group->sent += tcp->sent;
	group->received += tcp->received;
	group->segs_sent += tcp->segs_sent;
	group->segs_received += tcp->segs_received;
	group->mss += tcp->mss;
	if (advise_is_suited(1, MAX(tcp->segs_sent, tcp->segs_received), bytes)) {
		group->n_suited++;
		group->suited_bytes += bytes;
	}
	return group;
}

/* Count a tracked connection that has ended, or is open at the end of the watch. */
static void count_conn(struct tally *tally, const struct tally_conn *conn, uint64_t now,
		       bool is_open)
{
	if (!conn->is_past)
		count(tally, conn, now)->n_longer += is_open || conn->is_old;
}

/* ---- connections that are open ---- */

static uint64_t cookie_hash(uint64_t cookie)
{
	return smc_index_hash(&cookie, sizeof(cookie), 0);
}

static bool is_conn(const void *arg, size_t place, const void *cookie)
{
	return ((const struct tally *)arg)->live[place].tcp.cookie == *(const uint64_t *)cookie;
}

static struct tally_conn *find_conn(const struct tally *tally, uint64_t cookie)
{
	size_t place =
		smc_index_find(&tally->by_cookie, cookie_hash(cookie), is_conn, tally, &cookie);

	return place == SMC_INDEX_NONE ? NULL : &tally->live[place];
}

/* The last connection takes its place. */
static void drop(struct tally *tally, struct tally_conn *conn)
{
	struct tally_conn *last = &tally->live[--tally->n_live];
	const size_t place = (size_t)(conn - tally->live);

	smc_index_remove(&tally->by_cookie, cookie_hash(conn->tcp.cookie), place);
	if (conn == last)
		return;
	smc_index_remove(&tally->by_cookie, cookie_hash(last->tcp.cookie), tally->n_live);
	smc_index_add(&tally->by_cookie, cookie_hash(last->tcp.cookie), place);
	*conn = *last;
}

static struct tally_conn *add_conn(struct tally *tally, const struct smc_tcp *tcp)
{
	const bool is_old = tally->round == 1;
	const struct tally_conn conn = { .tcp = *tcp,
					 .born = tally->polled,
					 .is_old = is_old,
					 .is_past = is_old && tcp->is_over };

	if (tally->n_live >= TALLY_LIVE_MAX) {
		tally->n_untracked++;
		return NULL;
	}
	*smc_array_add(&tally->live, &tally->n_live) = conn;
	smc_index_add(&tally->by_cookie, cookie_hash(tcp->cookie), tally->n_live - 1);
	return &tally->live[tally->n_live - 1];
}

void tally_begin(struct tally *tally, uint64_t now)
{
	tally->round++;
	tally->polled = now;
}

/* Inode 0: no descriptor is left. Keep the previous inode to find the process. */
static void hold(struct tally_holder *holder, uint64_t inode)
{
	if (!inode || inode == holder->inode)
		return;
	holder->inode = inode;
	holder->is_asked = false;
}

static struct tally_listener *see_listener(struct tally *tally, uint16_t port, uint64_t inode)
{
	struct tally_listener *listener = &tally->listeners[port];

	listener->is_there = true;
	hold(&listener->holder, inode);
	return listener;
}

void tally_see(struct tally *tally, const struct smc_tcp *tcp)
{
	struct tally_conn *conn;

	if (tcp->is_listener)
		see_listener(tally, tcp->local.port, tcp->inode);
	if (tcp->is_listener || tcp->is_remnant)
		return;
	conn = find_conn(tally, tcp->cookie);
	if (!conn)
		conn = add_conn(tally, tcp);
	if (!conn)
		return;
	conn->tcp = *tcp;
	conn->round = tally->round;
	/* SMC's inner socket has an inode, but no descriptor. */
	if (!conn->carrier)
		hold(&conn->holder, tcp->inode);
}

/* ---- SMC's, and names ---- */

static int compare_socks(const void *a, const void *b)
{
	const struct smc_sock *x = a, *y = b;
	int order = memcmp(x->local.ip, y->local.ip, sizeof(x->local.ip));

	if (x->local.port != y->local.port)
		return x->local.port < y->local.port ? -1 : 1;
	if (x->peer.port != y->peer.port)
		return x->peer.port < y->peer.port ? -1 : 1;
	return order ? order : memcmp(x->peer.ip, y->peer.ip, sizeof(x->peer.ip));
}

void tally_smcs(struct tally *tally, struct smc_sock *socks, size_t count)
{
	static const enum tally_carrier carriers[] = { [SMC_MODE_NONE] = CARRIER_SMC,
						       [SMC_MODE_SMCR] = CARRIER_SMCR,
						       [SMC_MODE_SMCD] = CARRIER_SMCD,
						       [SMC_MODE_TCP] = CARRIER_FALLBACK };
	struct smc_sock key = { .state = 0 };

	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		smc_addr_unmap(&socks[i].local);
		smc_addr_unmap(&socks[i].peer);
		if (socks[i].state != SMC_ABI_LISTEN)
			continue;
		socks[i].peer = (struct smc_addr){ 0 };
		see_listener(tally, socks[i].local.port, socks[i].inode)->is_smc = true;
	}
	qsort(socks, count, sizeof(*socks), compare_socks);
	for (size_t i = 0; i < tally->n_live; i++) {
		struct tally_conn *conn = &tally->live[i];
		const struct smc_sock *found;

		key.local = conn->tcp.local;
		key.peer = conn->tcp.peer;
		found = bsearch(&key, socks, count, sizeof(key), compare_socks);
		if (!found)
			continue;
		if (smc_sock_mode(found) != SMC_MODE_NONE || !conn->carrier)
			conn->carrier = carriers[smc_sock_mode(found)];
		hold(&conn->holder, found->inode);
	}
}

static void name(struct tally_holder *holder, tally_name_fn fn, void *arg)
{
	if (!holder->inode || holder->is_asked)
		return;
	holder->is_asked = true;
	holder->owner = fn(arg, holder->inode);
}

void tally_name(struct tally *tally, tally_name_fn fn, void *arg)
{
	for (size_t i = 0; i < PORTS; i++)
		name(&tally->listeners[i].holder, fn, arg);
	for (size_t i = 0; i < tally->n_live; i++)
		name(&tally->live[i].holder, fn, arg);
}

/* ---- ends ---- */

void tally_end(struct tally *tally)
{
	for (size_t i = 0; i < tally->n_groups; i++)
		tally->groups[i].open = 0;
	for (size_t i = 0; i < tally->n_live;) {
		struct tally_conn *conn = &tally->live[i];

		if (tally->round - conn->round >= 2) {
			count_conn(tally, conn, tally->polled, false);
			drop(tally, conn);
			continue;
		}
		i++;
		if (!conn->is_past) {
			struct tally_group *group = group_of(tally, conn);

			group->open++;
			group->open_peak = MAX(group->open_peak, group->open);
		}
	}
}

/* The numbers of the end report are final. */
void tally_die(struct tally *tally, const struct tally_death *death, uint64_t now)
{
	struct tally_conn *seen = find_conn(tally, death->tcp.cookie);
	struct tally_conn conn = seen ? *seen : (struct tally_conn){ .born = death->born };
	struct tally_group *group;

	conn.tcp = death->tcp;
	if (!conn.holder.owner)
		conn.holder.owner = death->owner;
	if (death->born && !conn.is_old)
		conn.born = death->born;
	conn.side = death->side;
	if (death->is_smc && !conn.carrier)
		conn.carrier = CARRIER_SMC;
	if (seen) {
		count_conn(tally, &conn, now, false);
		drop(tally, seen);
	} else if (death->born) {
		group = count(tally, &conn, now);
		group->open_peak = MAX(group->open_peak, 1);
	}
}

void tally_finish(struct tally *tally, uint64_t now)
{
	/* Connections missing in the last list have ended. */
	for (size_t i = 0; i < tally->n_live; i++)
		count_conn(tally, &tally->live[i], now, tally->live[i].round == tally->round);
}
