// SPDX-License-Identifier: MIT
/* TCP connections, counted by process and peer in bounded memory. */
#include "smc_chk/advise/tally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/memory.h"
#include "smc_chk/advise/limits.h"

#define BUCKETS 65536
#define PORTS 65536

/**
 * struct tally_conn - a connection that is open
 * @born: when it was seen first; @is_old: it was there before the watch
 * @round: of the poll that saw it last
 * @is_asked: its process was looked for
 * @is_past: its program had closed it before the watch: not counted, maybe one of SMC's
 */
struct tally_conn {
	struct tally_conn *next;
	struct smc_tcp tcp;
	uint64_t born;
	uint32_t owner;
	unsigned int round;
	enum tally_carrier carrier;
	enum tally_side side;
	bool is_old, is_asked, is_past;
};

/* Of two on one port, at different addresses, the last one counts. */
struct tally_listener {
	uint64_t inode;
	uint32_t owner;
	bool is_there, is_asked, is_smc;
};

/* @near: how many rows there are of it that have a peer of their own. */
struct tally_service {
	uint32_t owner;
	enum tally_side side;
	uint16_t port;
	size_t near;
};

/* ---- owners ---- */

static uint64_t owner_hash(const struct tally_owner *owner)
{
	uint64_t hash = smc_index_hash(owner->comm, strlen(owner->comm), owner->is_user);

	return smc_index_hash(owner->unit, strlen(owner->unit), hash);
}

static bool is_owner(const void *arg, size_t place, const void *key)
{
	const struct tally_owner *owner = &((const struct tally *)arg)->owners[place];
	const struct tally_owner *other = key;

	return !strcmp(owner->comm, other->comm) && !strcmp(owner->unit, other->unit) &&
	       owner->is_user == other->is_user;
}

static void add_owner(struct tally *tally, const struct tally_owner *owner)
{
	smc_index_append(&tally->by_owner, owner_hash(owner), &tally->owners, &tally->n_owners,
			 &tally->owners_size, owner, sizeof(*owner));
}

uint32_t tally_owner(struct tally *tally, const struct tally_owner *owner)
{
	size_t place = smc_index_find(&tally->by_owner, owner_hash(owner), is_owner, tally, owner);

	if (place != SMC_INDEX_NONE)
		return (uint32_t)place;
	if (tally->n_owners == TALLY_OWNERS_MAX) {
		tally->is_capped = true;
		return 0;
	}
	add_owner(tally, owner);
	return (uint32_t)tally->n_owners - 1;
}

/* ---- all of it ---- */

void tally_start(struct tally *tally)
{
	const struct tally_owner nobody = { .unit = "" };

	tally->live = xcalloc(BUCKETS, sizeof(*tally->live));
	tally->listeners = xcalloc(PORTS, sizeof(*tally->listeners));
	/* The first of owners is nobody. */
	add_owner(tally, &nobody);
}

void tally_free(struct tally *tally)
{
	for (size_t i = 0; tally->live && i < BUCKETS; i++)
		while (tally->live[i]) {
			struct tally_conn *conn = tally->live[i];

			tally->live[i] = conn->next;
			free(conn);
		}
	free(tally->live);
	free(tally->listeners);
	free(tally->owners);
	free(tally->groups);
	free(tally->services);
	smc_index_free(&tally->by_owner);
	smc_index_free(&tally->by_group);
	smc_index_free(&tally->by_service);
	*tally = (struct tally){ 0 };
}

/* ---- who is at the other end ---- */

static bool is_loopback(const struct smc_addr *addr)
{
	static const uint8_t one[16] = { [15] = 1 };

	return addr->family == AF_INET ? addr->ip[0] == 127 : !memcmp(addr->ip, one, 16);
}

/* Addresses that nobody routes through the internet: RFC 1918, 3927, 6598; 4193, 4291. */
static bool is_private(const struct smc_addr *addr)
{
	static const struct netaddr nets[] = {
		{ .family = AF_INET, .prefix = 8, .bytes = { 10 } },
		{ .family = AF_INET, .prefix = 12, .bytes = { 172, 16 } },
		{ .family = AF_INET, .prefix = 16, .bytes = { 192, 168 } },
		{ .family = AF_INET, .prefix = 16, .bytes = { 169, 254 } },
		{ .family = AF_INET, .prefix = 10, .bytes = { 100, 64 } },
		{ .family = AF_INET6, .prefix = 7, .bytes = { 0xfc } },
		{ .family = AF_INET6, .prefix = 10, .bytes = { 0xfe, 0x80 } },
	};
	struct netaddr other = { .family = addr->family };

	memcpy(other.bytes, addr->ip, sizeof(other.bytes));
	for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++)
		if (netaddr_covers(&nets[i], &other))
			return true;
	return false;
}

enum tally_peers tally_peers_of(const struct netaddr_table *own, const struct smc_addr *peer)
{
	struct netaddr other = { .family = peer->family };
	bool is_near = is_private(peer);

	if (is_loopback(peer))
		return PEERS_LOCAL;
	memcpy(other.bytes, peer->ip, sizeof(other.bytes));
	for (size_t i = 0; i < own->count; i++) {
		const struct netaddr *addr = &own->addrs[i];

		if (addr->family == peer->family &&
		    !memcmp(addr->bytes, peer->ip, peer->family == AF_INET ? 4 : 16))
			return PEERS_LOCAL;
		is_near = is_near || (addr->prefix && netaddr_covers(addr, &other));
	}
	return is_near ? PEERS_NEAR : PEERS_INTERNET;
}

/* ---- groups ---- */

static bool is_same_addr(const struct smc_addr *a, const struct smc_addr *b)
{
	return a->family == b->family && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

static bool is_same(const struct tally_group *a, const struct tally_group *b)
{
	return a->owner == b->owner && a->side == b->side && a->port == b->port &&
	       a->peers == b->peers && a->carrier == b->carrier && a->bar == b->bar &&
	       is_same_addr(&a->peer, &b->peer);
}

static uint64_t service_hash(const struct tally_group *key)
{
	const uint32_t parts[] = { key->owner, key->side, key->port };

	return smc_index_hash(parts, sizeof(parts), 0);
}

static uint64_t group_hash(const struct tally_group *key)
{
	const uint32_t parts[] = { key->peers, key->carrier, key->bar, key->peer.family };

	return smc_index_hash(key->peer.ip, sizeof(key->peer.ip),
			      smc_index_hash(parts, sizeof(parts), service_hash(key)));
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

static bool is_service(const void *arg, size_t place, const void *key)
{
	const struct tally_service *service = &((const struct tally *)arg)->services[place];
	const struct tally_group *group = key;

	return service->owner == group->owner && service->side == group->side &&
	       service->port == group->port;
}

static struct tally_service *find_service(const struct tally *tally, const struct tally_group *key)
{
	size_t place =
		smc_index_find(&tally->by_service, service_hash(key), is_service, tally, key);

	return place == SMC_INDEX_NONE ? NULL : &tally->services[place];
}

/* Has the process so many rows for this port that the peer goes into the last one? */
static bool has_many_peers(const struct tally *tally, const struct tally_group *key)
{
	const struct tally_service *service = find_service(tally, key);

	return service && service->near >= TALLY_PEERS_MAX;
}

/* One row more that has a peer of its own. */
static void count_peer(struct tally *tally, const struct tally_group *key)
{
	const struct tally_service added = { key->owner, key->side, key->port, 1 };
	struct tally_service *service = find_service(tally, key);

	if (service)
		service->near++;
	else
		smc_index_append(&tally->by_service, service_hash(key), &tally->services,
				 &tally->n_services, &tally->services_size, &added, sizeof(added));
}

static struct tally_group *append_group(struct tally *tally, const struct tally_group *key)
{
	if (key->peers == PEERS_NEAR)
		count_peer(tally, key);
	smc_index_append(&tally->by_group, group_hash(key), &tally->groups, &tally->n_groups,
			 &tally->groups_size, key, sizeof(*key));
	return &tally->groups[tally->n_groups - 1];
}

static struct tally_group *add_group(struct tally *tally, struct tally_group *key)
{
	struct tally_group *group = NULL;

	if (key->peers == PEERS_NEAR && has_many_peers(tally, key)) {
		key->peers = PEERS_OTHER;
		memset(&key->peer, 0, sizeof(key->peer));
		group = find_group(tally, key);
	}
	if (!group && tally->n_groups >= TALLY_GROUPS_MAX) {
		tally->is_capped = true;
		*key = (struct tally_group){ .peers = PEERS_OTHER,
					     .carrier = key->carrier,
					     .bar = key->bar,
					     .sample = key->sample,
					     .local = key->local };
		group = find_group(tally, key);
	}
	return group ? group : append_group(tally, key);
}

static enum tally_side side_of(const struct tally *tally, const struct smc_tcp *tcp, bool is_local)
{
	if (tally->listeners[tcp->local.port].is_there)
		return SIDE_SERVER;
	if (!is_local || tally->listeners[tcp->peer.port].is_there)
		return SIDE_CLIENT;
	/* Nobody listens any more: ports that clients are given are high. */
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
	return tally->bar_of ? tally->bar_of(tally->bar_arg, tcp) : BAR_NONE;
}

/* What a source does not know, the listener tells. */
static struct tally_group *group_of(struct tally *tally, const struct smc_tcp *tcp, uint32_t owner,
				    enum tally_side side, enum tally_carrier carrier)
{
	struct tally_group key = { .owner = owner,
				   .side = side,
				   .carrier = carrier,
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
		key.owner = listener->owner;
	if (key.side == SIDE_SERVER && !key.carrier && listener->is_smc)
		key.carrier = CARRIER_SMC;
	if (key.carrier == CARRIER_TCP)
		key.bar = bar_of(tally, tcp);
	if (key.peers != PEERS_INTERNET) {
		key.peer = tcp->peer;
		key.peer.port = 0;
	}
	found = find_group(tally, &key);
	return found ? found : add_group(tally, &key);
}

/* ---- lives ---- */

/* Four steps for each doubling: the logarithm by its bits. */
static size_t life_step(uint64_t ms)
{
	unsigned int log = 0;
	uint64_t value = ms ? ms : 1;
	size_t step;

	while (value >> log >= 2)
		log++;
	step = (size_t)log * TALLY_STEPS + (size_t)(((value << 2) >> log) & (TALLY_STEPS - 1));
	return step < TALLY_LIVES ? step : TALLY_LIVES - 1;
}

/* The middle of a step. */
static uint64_t step_life(size_t step)
{
	unsigned int log = (unsigned int)(step / TALLY_STEPS);
	uint64_t low = (((uint64_t)TALLY_STEPS + step % TALLY_STEPS) << log) / TALLY_STEPS;

	return low + ((1ULL << log) / TALLY_STEPS) / 2;
}

uint64_t tally_life(const struct tally_group *group, int *bound)
{
	uint64_t seen = 0;

	*bound = group->n_longer * 2 > group->conns  ? 1 :
		 group->n_shorter * 2 > group->conns ? -1 :
						       0;
	for (size_t i = 0; i < TALLY_LIVES; i++) {
		seen += group->lives[i];
		if (seen && seen * 2 >= group->conns)
			return step_life(i);
	}
	return 0;
}

/* ---- counting ---- */

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void count(struct tally_group *group, const struct smc_tcp *tcp)
{
	uint64_t bytes = tcp->sent + tcp->received;

	group->conns++;
	if (!tcp->has_info)
		return;
	group->n_info++;
	group->sent += tcp->sent;
	group->received += tcp->received;
	group->segs_sent += tcp->segs_sent;
	group->segs_received += tcp->segs_received;
	group->mss += tcp->mss;
	if (advise_is_suited(1, larger(tcp->segs_sent, tcp->segs_received), bytes)) {
		group->n_suited++;
		group->suited_bytes += bytes;
	}
}

/* A connection that was tracked is over, or the watch is. */
static void count_conn(struct tally *tally, const struct tally_conn *conn, uint64_t now,
		       bool is_open)
{
	struct tally_group *group;

	if (conn->is_past)
		return;
	group = group_of(tally, &conn->tcp, conn->owner, conn->side, conn->carrier);
	if (!group)
		return;
	count(group, &conn->tcp);
	group->lives[life_step(now - conn->born)]++;
	group->n_longer += is_open || conn->is_old;
}

/* ---- connections that are open ---- */

static struct tally_conn **place_of(const struct tally *tally, uint64_t cookie)
{
	struct tally_conn **place = &tally->live[cookie % BUCKETS];

	while (*place && (*place)->tcp.cookie != cookie)
		place = &(*place)->next;
	return place;
}

static void drop(struct tally *tally, struct tally_conn **place)
{
	struct tally_conn *conn = *place;

	*place = conn->next;
	free(conn);
	tally->n_live--;
}

static struct tally_conn *add_conn(struct tally *tally, struct tally_conn **place, bool is_over,
				   uint64_t now)
{
	struct tally_conn *conn;

	if (tally->n_live >= TALLY_LIVE_MAX) {
		tally->n_untracked++;
		return NULL;
	}
	conn = xcalloc(1, sizeof(*conn));
	conn->born = now;
	conn->is_old = tally->round == 1;
	conn->is_past = conn->is_old && is_over;
	conn->next = *place;
	*place = conn;
	tally->n_live++;
	return conn;
}

/* Calls a function for each; the same one may be dropped by it. */
static void each(struct tally *tally,
		 void (*fn)(struct tally *tally, struct tally_conn **place, void *arg), void *arg)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct tally_conn **place = &tally->live[i], *before; (before = *place);) {
			fn(tally, place, arg);
			if (*place == before)
				place = &before->next;
		}
}

void tally_begin(struct tally *tally, uint64_t now)
{
	tally->round++;
	tally->polled = now;
}

static void see_listener(struct tally *tally, const struct smc_tcp *tcp)
{
	struct tally_listener *listener = &tally->listeners[tcp->local.port];

	listener->is_there = true;
	if (tcp->inode && listener->inode != tcp->inode) {
		listener->inode = tcp->inode;
		listener->is_asked = false;
	}
}

void tally_see(struct tally *tally, const struct smc_tcp *tcp, uint64_t now)
{
	struct tally_conn **place, *conn;

	if (tcp->is_listener) {
		see_listener(tally, tcp);
		return;
	}
	if (tcp->is_remnant)
		return;
	place = place_of(tally, tcp->cookie);
	conn = *place ? *place : add_conn(tally, place, tcp->is_over, now);
	if (!conn)
		return;
	/* SMC's inner socket has an inode that nobody holds. */
	if (conn->carrier || !tcp->inode) {
		uint64_t inode = conn->tcp.inode;

		conn->tcp = *tcp;
		conn->tcp.inode = inode;
	} else {
		conn->tcp = *tcp;
	}
	conn->round = tally->round;
}

/* ---- SMC's ---- */

struct smc_list {
	const struct tally_smc *smcs;
	size_t count;
};

static int compare_smcs(const void *a, const void *b)
{
	const struct tally_smc *x = a, *y = b;
	int order = memcmp(x->local.ip, y->local.ip, sizeof(x->local.ip));

	if (x->local.port != y->local.port)
		return x->local.port < y->local.port ? -1 : 1;
	if (x->peer.port != y->peer.port)
		return x->peer.port < y->peer.port ? -1 : 1;
	return order ? order : memcmp(x->peer.ip, y->peer.ip, sizeof(x->peer.ip));
}

static void mark_smc(struct tally *tally __attribute__((unused)), struct tally_conn **place,
		     void *arg)
{
	const struct smc_list *list = arg;
	struct tally_conn *conn = *place;
	const struct tally_smc key = { .local = conn->tcp.local, .peer = conn->tcp.peer };
	const struct tally_smc *found =
		bsearch(&key, list->smcs, list->count, sizeof(key), compare_smcs);

	if (!found)
		return;
	if (found->carrier != CARRIER_SMC || !conn->carrier)
		conn->carrier = found->carrier;
	if (found->inode && conn->tcp.inode != found->inode) {
		conn->tcp.inode = found->inode;
		conn->is_asked = false;
	}
}

void tally_smcs(struct tally *tally, struct tally_smc *smcs, size_t count)
{
	struct smc_list list = { smcs, count };

	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		struct tally_listener *listener = &tally->listeners[smcs[i].local.port];

		smc_addr_unmap(&smcs[i].local);
		smc_addr_unmap(&smcs[i].peer);
		if (smcs[i].peer.port)
			continue;
		listener->is_there = listener->is_smc = true;
		if (smcs[i].inode != listener->inode)
			listener->is_asked = false;
		listener->inode = smcs[i].inode;
	}
	qsort(smcs, count, sizeof(*smcs), compare_smcs);
	each(tally, mark_smc, &list);
}

/* ---- names ---- */

static bool is_nameless(const struct tally_conn *conn)
{
	return conn->tcp.inode && !conn->is_asked;
}

static void count_nameless(struct tally *tally __attribute__((unused)), struct tally_conn **place,
			   void *arg)
{
	*(size_t *)arg += is_nameless(*place);
}

size_t tally_nameless(const struct tally *tally)
{
	size_t found = 0;

	for (size_t i = 0; i < PORTS; i++)
		found += tally->listeners[i].inode && !tally->listeners[i].is_asked;
	each((struct tally *)tally, count_nameless, &found);
	return found;
}

struct naming {
	uint32_t (*fn)(void *arg, uint64_t inode);
	void *arg;
};

static void name_conn(struct tally *tally __attribute__((unused)), struct tally_conn **place,
		      void *arg)
{
	const struct naming *naming = arg;
	struct tally_conn *conn = *place;

	if (!is_nameless(conn))
		return;
	conn->is_asked = true;
	conn->owner = naming->fn(naming->arg, conn->tcp.inode);
}

void tally_name(struct tally *tally, uint32_t (*fn)(void *arg, uint64_t inode), void *arg)
{
	struct naming naming = { fn, arg };

	for (size_t i = 0; i < PORTS; i++) {
		struct tally_listener *listener = &tally->listeners[i];

		if (!listener->inode || listener->is_asked)
			continue;
		listener->is_asked = true;
		listener->owner = fn(arg, listener->inode);
	}
	each(tally, name_conn, &naming);
}

/* ---- ends ---- */

static void end_conn(struct tally *tally, struct tally_conn **place,
		     void *arg __attribute__((unused)))
{
	const struct tally_conn *conn = *place;
	struct tally_group *group;

	if (tally->round - conn->round >= 2) {
		count_conn(tally, conn, tally->polled, false);
		drop(tally, place);
		return;
	}
	if (conn->is_past)
		return;
	group = group_of(tally, &conn->tcp, conn->owner, conn->side, conn->carrier);
	if (group && ++group->open > group->open_peak)
		group->open_peak = group->open;
}

void tally_end(struct tally *tally)
{
	for (size_t i = 0; i < tally->n_groups; i++)
		tally->groups[i].open = 0;
	each(tally, end_conn, NULL);
}

/* It was born after the last poll, if no source tells. */
static void count_unseen(struct tally *tally, const struct tally_death *death, uint64_t now)
{
	struct tally_group *group = group_of(tally, &death->tcp, death->owner, death->side,
					     death->is_smc ? CARRIER_SMC : CARRIER_TCP);

	if (!group)
		return;
	count(group, &death->tcp);
	group->lives[life_step(now - (death->born ? death->born : tally->polled))]++;
	group->n_shorter += !death->born;
	if (!group->open_peak)
		group->open_peak = 1;
}

/* The end's numbers are the last ones. */
static void count_seen(struct tally *tally, struct tally_conn *conn,
		       const struct tally_death *death, uint64_t now)
{
	const uint64_t inode = conn->tcp.inode;

	if (death->tcp.has_info)
		conn->tcp = death->tcp;
	conn->tcp.inode = inode;
	if (!conn->owner)
		conn->owner = death->owner;
	if (death->born && !conn->is_old)
		conn->born = death->born;
	conn->side = death->side;
	if (death->is_smc && !conn->carrier)
		conn->carrier = CARRIER_SMC;
	count_conn(tally, conn, now, false);
}

void tally_die(struct tally *tally, const struct tally_death *death, uint64_t now)
{
	const struct smc_tcp *tcp = &death->tcp;
	struct tally_conn **place = place_of(tally, tcp->cookie);

	if (*place) {
		count_seen(tally, *place, death, now);
		drop(tally, place);
		return;
	}
	/* A listener, a socket that never was connected, one that was refused or is from before. */
	if (tcp->is_listener || !tcp->peer.port || !tcp->local.port ||
	    (!death->born && (death->is_born_told || (!tcp->sent && !tcp->received))))
		return;
	count_unseen(tally, death, now);
}

static void finish_conn(struct tally *tally, struct tally_conn **place, void *arg)
{
	/* One that the last list did not have has ended. */
	count_conn(tally, *place, *(const uint64_t *)arg, (*place)->round == tally->round);
	drop(tally, place);
}

static void merge(struct tally_group *into, struct tally_group *from)
{
	into->conns += from->conns;
	into->n_info += from->n_info;
	into->sent += from->sent;
	into->received += from->received;
	into->segs_sent += from->segs_sent;
	into->segs_received += from->segs_received;
	into->mss += from->mss;
	into->n_suited += from->n_suited;
	into->suited_bytes += from->suited_bytes;
	into->n_longer += from->n_longer;
	into->n_shorter += from->n_shorter;
	into->open_peak = larger(into->open_peak, from->open_peak);
	for (size_t i = 0; i < TALLY_LIVES; i++)
		into->lives[i] += from->lives[i];
	from->conns = 0;
}

/* Connections that ended before their listener was in a list. */
static void name_groups(struct tally *tally)
{
	for (size_t i = 0; i < tally->n_groups; i++) {
		struct tally_group *group = &tally->groups[i], *same = NULL;
		uint32_t owner = tally->listeners[group->port].owner;

		if (group->owner || group->side != SIDE_SERVER || !owner)
			continue;
		group->owner = owner;
		for (size_t k = 0; !same && k < tally->n_groups; k++)
			if (k != i && is_same(&tally->groups[k], group))
				same = &tally->groups[k];
		if (same)
			merge(same, group);
	}
}

void tally_finish(struct tally *tally, uint64_t now)
{
	each(tally, finish_conn, &now);
	name_groups(tally);
}
