// SPDX-License-Identifier: MIT
/*
 * From packets to handshake messages. A handshake is short: each direction has a window of one
 * message, where bytes are put by sequence number, in whatever order they arrive.
 */
#include "smc_dump/flow.h"

#include "base/index.h"
#include "base/memory.h"

#define BUCKETS 4096
/* Maximum number of tracked connections; beyond it, the one that was silent longest is dropped. */
#define MOST 16384

/**
 * struct window - bytes from @next on
 * @has: which bytes are there; @cut_at: with @is_cut, where the captured part of a segment ends
 */
struct window {
	uint8_t data[SMC_CLC_MAX];
	bool has[SMC_CLC_MAX];
	size_t cut_at;
	bool is_cut;
};

/**
 * struct direction - what one side sends
 * @next: sequence number of the first byte that is not read, if @is_known
 * @has_spoken: a message was read; @is_over: no more CLC messages are expected
 * @window: NULL while no bytes wait
 */
struct direction {
	uint32_t next;
	bool is_known, has_spoken, is_over;
	struct window *window;
};

struct flow {
	struct flow_conn conn;
	struct direction directions[2];
	bool is_reported;
	struct flow *chain;	    /* of the bucket */
	struct flow *older, *newer; /* by last packet */
};

struct flow_table {
	flow_sink *sink;
	void *arg;
	bool is_all;
	uint64_t last_number, syns;
	size_t count;
	struct flow *buckets[BUCKETS];
	struct flow *oldest, *newest;
};

/* ---- the table ---- */

bool packet_same_end(const struct smc_addr *one, const struct smc_addr *other)
{
	return one->port == other->port && one->family == other->family &&
	       !memcmp(one->ip, other->ip, sizeof(one->ip));
}

uint64_t packet_hash_end(const struct smc_addr *end, uint64_t seed)
{
	return smc_index_hash(&end->port, sizeof(end->port),
			      smc_index_hash(end->ip, sizeof(end->ip), seed));
}

/*
 * Bucket of a connection, the same for both directions. The hash includes the address of the table,
 * which others do not know. Otherwise an attacker could choose addresses that share a bucket, and
 * each packet would be compared with all connections.
 */
static size_t bucket_of(const struct flow_table *table, const struct smc_addr *one,
			const struct smc_addr *other)
{
	const uint64_t seed = (uintptr_t)table * UINT64_C(0x9e3779b97f4a7c15);

	return (packet_hash_end(one, seed) + packet_hash_end(other, seed)) % BUCKETS;
}

static void unlink_age(struct flow_table *table, struct flow *flow)
{
	*(flow->older ? &flow->older->newer : &table->oldest) = flow->newer;
	*(flow->newer ? &flow->newer->older : &table->newest) = flow->older;
}

static void append_age(struct flow_table *table, struct flow *flow)
{
	flow->newer = NULL;
	flow->older = table->newest;
	*(table->newest ? &table->newest->newer : &table->oldest) = flow;
	table->newest = flow;
}

static struct flow *find(struct flow_table *table, const struct packet *packet,
			 enum flow_side *side)
{
	struct flow *flow = table->buckets[bucket_of(table, &packet->from, &packet->to)];

	for (; flow; flow = flow->chain)
		for (int i = FLOW_CLIENT; i <= FLOW_SERVER; i++)
			if (packet_same_end(&flow->conn.ends[i], &packet->from) &&
			    packet_same_end(&flow->conn.ends[!i], &packet->to)) {
				*side = (enum flow_side)i;
				return flow;
			}
	return NULL;
}

static void forget(struct flow_table *table, struct flow *flow)
{
	const struct smc_addr *ends = flow->conn.ends;
	struct flow **at = &table->buckets[bucket_of(table, &ends[0], &ends[1])];

	while (*at != flow)
		at = &(*at)->chain;
	*at = flow->chain;
	unlink_age(table, flow);
	table->count--;
	for (size_t i = 0; i <= SMC_CLC_DECLINE; i++)
		free(flow->conn.messages[i]);
	free(flow->directions[0].window);
	free(flow->directions[1].window);
	free(flow);
}

/* ---- events ---- */

static struct flow_event event_of(enum flow_event_kind kind, const struct flow *flow,
				  enum flow_side side, const struct packet *packet)
{
	const struct flow_conn *conn = &flow->conn;
	struct packet_time last = conn->answered.seconds ? conn->answered : conn->begin;

	return (struct flow_event){ .kind = kind,
				    .time = packet ? packet->time : last,
				    .conn = conn,
				    .side = side,
				    .packet = packet };
}

/* Report the outcome, once. @packet: NULL if nothing more was seen of the connection */
static int tell_outcome(struct flow_table *table, struct flow *flow, const struct packet *packet)
{
	const struct flow_event event = event_of(FLOW_OUTCOME, flow, FLOW_CLIENT, packet);

	if (flow->is_reported)
		return 0;
	flow->is_reported = true;
	return table->sink(table->arg, &event);
}

static int end_flow(struct flow_table *table, struct flow *flow, const struct packet *packet)
{
	int ret = tell_outcome(table, flow, packet);

	forget(table, flow);
	return ret;
}

static struct flow *add(struct flow_table *table, const struct packet *packet, enum flow_side side)
{
	struct flow **bucket = &table->buckets[bucket_of(table, &packet->from, &packet->to)];
	struct flow *flow = xcalloc(1, sizeof(*flow));

	flow->conn.number = ++table->last_number;
	flow->conn.ends[side] = packet->from;
	flow->conn.ends[!side] = packet->to;
	flow->conn.begin = packet->time;
	flow->chain = *bucket;
	*bucket = flow;
	append_age(table, flow);
	table->count++;
	return flow;
}

/* ---- messages ---- */

/* Free an empty window: connections may live long after their handshake. */
static void consume(struct direction *direction, size_t len)
{
	struct window *window = direction->window;

	memmove(window->data, window->data + len, SMC_CLC_MAX - len);
	memmove(window->has, window->has + len, SMC_CLC_MAX - len);
	memset(window->has + SMC_CLC_MAX - len, 0, len);
	direction->next += (uint32_t)len;
	window->is_cut &= window->cut_at > len;
	window->cut_at -= len;
	if (memchr(window->has, true, SMC_CLC_MAX))
		return;
	free(window);
	direction->window = NULL;
}

static int take_message(struct flow_table *table, struct flow *flow, enum flow_side side,
			size_t len, const struct packet *packet)
{
	struct flow_event event = event_of(FLOW_MESSAGE, flow, side, packet);
	struct flow_conn *conn = &flow->conn;
	struct smc_clc *clc = xcalloc(1, sizeof(*clc));
	int ret, kind;

	event.message = clc;
	event.data = flow->directions[side].window->data;
	event.len = len;
	smc_clc_decode(clc, event.data, len);
	/* A message that only the other side may send decides nothing. */
	kind = clc->type == SMC_CLC_DECLINE || (clc->type == SMC_CLC_ACCEPT) == side ? clc->type :
										       0;
	free(conn->messages[kind]);
	conn->messages[kind] = clc;
	conn->answered = packet->time;
	if (kind == SMC_CLC_PROPOSAL)
		conn->proposed = packet->time;
	ret = table->sink(table->arg, &event);
	if (ret || kind < SMC_CLC_CONFIRM)
		return ret;
	/* A decline may still follow a confirm, if the RDMA path does not work. */
	if (kind == SMC_CLC_DECLINE) {
		conn->decliner = side;
		flow->is_reported = false;
	}
	return tell_outcome(table, flow, packet);
}

/* Read all complete messages. Return: 0, or the value of the sink. */
static int read_messages(struct flow_table *table, struct flow *flow, enum flow_side side,
			 const struct packet *packet)
{
	struct direction *direction = &flow->directions[side];

	while (direction->window) {
		struct window *window = direction->window;
		const bool *gap = memchr(window->has, false, SMC_CLC_MAX);
		size_t there = gap ? (size_t)(gap - window->has) : SMC_CLC_MAX;
		size_t length = smc_clc_length(window->data, there);
		bool is_cut = window->is_cut && there == window->cut_at;
		int ret;

		if (!length || (is_cut && there < SMC_CLC_HEADER)) {
			direction->is_over = true;
			free(window);
			direction->window = NULL;
			return 0;
		}
		if (there < SMC_CLC_HEADER || (there < length && !is_cut))
			return 0;
		ret = take_message(table, flow, side, there < length ? there : length, packet);
		if (ret)
			return ret;
		consume(direction, length);
		direction->has_spoken = true;
	}
	return 0;
}

/* Insert a segment; bytes that are already there stay. */
static void place(struct direction *direction, const struct packet *packet)
{
	struct window *window = direction->window;
	int64_t at = (int32_t)(packet->seq - direction->next);

	for (size_t i = 0; i < packet->len; i++) {
		int64_t to = at + (int64_t)i;

		if (to < 0 || to >= SMC_CLC_MAX || window->has[to])
			continue;
		window->data[to] = packet->data[i];
		window->has[to] = true;
	}
	at += (int64_t)packet->len;
	if (packet->len < packet->full && at >= 0 && at < SMC_CLC_MAX) {
		window->cut_at = (size_t)at;
		window->is_cut = true;
	}
}

static int read_segment(struct flow_table *table, struct flow *flow, enum flow_side side,
			const struct packet *packet)
{
	struct direction *direction = &flow->directions[side];

	if (direction->is_over || !packet->full)
		return 0;
	if (!direction->is_known) {
		/* The SYN was not seen: the stream begins where a message does. */
		if (packet->len < 4 || !smc_clc_length(packet->data, packet->len))
			return 0;
		direction->next = packet->seq;
		direction->is_known = true;
	}
	if (!direction->window)
		direction->window = xcalloc(1, sizeof(*direction->window));
	place(direction, packet);
	return read_messages(table, flow, side, packet);
}

/* ---- packets ---- */

static int read_syn(struct flow_table *table, struct flow *flow, enum flow_side side,
		    const struct packet *packet)
{
	const struct flow_event event = event_of(FLOW_SYN, flow, side, packet);
	struct direction *direction = &flow->directions[side];
	struct flow_conn *conn = &flow->conn;
	int ret;

	if (!direction->window && !direction->has_spoken) {
		direction->next = packet->seq + 1;
		direction->is_known = true;
	}
	/* Retransmission. */
	if (conn->has_syn[side])
		return 0;
	conn->has_syn[side] = true;
	conn->offers[side] = packet->offers_smc;
	ret = table->sink(table->arg, &event);
	if (ret || side == FLOW_CLIENT || packet->offers_smc)
		return ret;
	return end_flow(table, flow, packet);
}

/* Guess who sent a packet of an unknown connection. */
static enum flow_side guess_side(const struct packet *packet)
{
	if (packet->flags & PACKET_SYN)
		return packet->flags & PACKET_ACK ? FLOW_SERVER : FLOW_CLIENT;
	switch (packet->data[4]) {
	case SMC_CLC_ACCEPT: return FLOW_SERVER;
	/* Both sides may decline. Most servers have the lower port. */
	case SMC_CLC_DECLINE:
		return packet->from.port < packet->to.port ? FLOW_SERVER : FLOW_CLIENT;
	default: return FLOW_CLIENT;
	}
}

static bool is_wanted(const struct flow_table *table, const struct packet *packet)
{
	if (packet->flags & PACKET_SYN)
		return packet->offers_smc || table->is_all;
	return packet->len >= SMC_CLC_HEADER && smc_clc_length(packet->data, packet->len);
}

static bool is_new_connection(const struct flow *flow, const struct packet *packet)
{
	const struct flow_conn *conn = &flow->conn;

	return (packet->flags & (PACKET_SYN | PACKET_ACK)) == PACKET_SYN &&
	       flow->directions[FLOW_CLIENT].next != packet->seq + 1 &&
	       (conn->has_syn[FLOW_SERVER] || conn->answered.seconds);
}

int flow_packet(struct flow_table *table, const struct packet *packet)
{
	enum flow_side side;
	struct flow *flow;
	int ret = 0;

	if (packet->kind != PACKET_TCP)
		return 0;
	flow = find(table, packet, &side);
	table->syns += (packet->flags & (PACKET_SYN | PACKET_ACK)) == PACKET_SYN;
	/* The ports are reused, and the end of the old connection was not seen. */
	if (flow && is_new_connection(flow, packet)) {
		ret = end_flow(table, flow, NULL);
		flow = NULL;
	}
	if (!ret && !flow && is_wanted(table, packet)) {
		if (table->count == MOST)
			ret = end_flow(table, table->oldest, NULL);
		side = guess_side(packet);
		flow = add(table, packet, side);
	}
	if (ret || !flow)
		return ret;
	unlink_age(table, flow);
	append_age(table, flow);
	if (packet->flags & PACKET_SYN)
		return read_syn(table, flow, side, packet);
	ret = read_segment(table, flow, side, packet);
	if (!ret && (packet->flags & (PACKET_RST | PACKET_FIN)))
		ret = end_flow(table, flow, packet);
	return ret;
}

int flow_end(struct flow_table *table)
{
	int ret = 0;

	while (!ret && table->oldest)
		ret = end_flow(table, table->oldest, NULL);
	return ret;
}

struct flow_table *flow_new(flow_sink *sink, void *arg, bool is_all)
{
	struct flow_table *table = xcalloc(1, sizeof(*table));

	table->sink = sink;
	table->arg = arg;
	table->is_all = is_all;
	return table;
}

uint64_t flow_syns(const struct flow_table *table)
{
	return table->syns;
}

void flow_free(struct flow_table *table)
{
	while (table && table->oldest)
		forget(table, table->oldest);
	free(table);
}
