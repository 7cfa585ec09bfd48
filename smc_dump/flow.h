/* SPDX-License-Identifier: MIT */
/* From packets to what was said: connections, their SMC handshakes, and what came of them. Pure. */
#pragma once

#include "smc_dump/clc.h"
#include "smc_dump/llc.h"
#include "smc_dump/packet.h"

/** enum flow_side - who sends */
enum flow_side {
	FLOW_CLIENT,
	FLOW_SERVER,
};

/**
 * struct flow_conn - a connection, as far as its handshake was seen
 * @number: from 1 on, in the order in which they were seen
 * @ends: their addresses, by enum flow_side
 * @has_syn, @offers: was a SYN of that side seen, and did it offer SMC?
 * @messages: by type; NULL for those that were not seen
 * @decliner: who sent the decline
 * @begin: of the first packet; @proposed, @answered: of the proposal, and the last message
 */
struct flow_conn {
	uint64_t number;
	struct smc_addr ends[2];
	bool has_syn[2], offers[2];
	struct smc_clc *messages[SMC_CLC_DECLINE + 1];
	enum flow_side decliner;
	struct packet_time begin, proposed, answered;
};

enum flow_event_kind {
	FLOW_SYN,     /* a SYN or SYN-ACK, by @side */
	FLOW_MESSAGE, /* of CLC */
	FLOW_OUTCOME, /* the handshake is over, or nothing more is to be seen of it */
	FLOW_LINK,    /* an LLC or CDC message through RoCE v2 */
};

/**
 * struct flow_event - something to be shown; all is valid during the call
 * @conn, @side: not with FLOW_LINK
 * @message, @llc: of that kind
 * @data, @len: bytes of the message, as far as they were captured
 * @packet: the one that made it complete; NULL when the capture has ended
 */
struct flow_event {
	enum flow_event_kind kind;
	struct packet_time time;
	const struct flow_conn *conn;
	enum flow_side side;
	const struct smc_clc *message;
	const struct smc_llc *llc;
	const uint8_t *data;
	size_t len;
	const struct packet *packet;
};

/** flow_sink() - gets each event. Return: 0, or a value that ends it all */
typedef int flow_sink(void *arg, const struct flow_event *event);

struct flow_table;

/** flow_new() - no connections yet; @is_all: also those whose SYNs do not offer SMC */
struct flow_table *flow_new(flow_sink *sink, void *arg, bool is_all);

/** flow_packet() - one more packet. Return: 0, or what the sink returned */
int flow_packet(struct flow_table *table, const struct packet *packet);

/** flow_end() - report what became of the other handshakes. Return: as above */
int flow_end(struct flow_table *table);

/** flow_syns() - SYNs of clients until now, whatever they offer, those sent again too */
uint64_t flow_syns(const struct flow_table *table);

void flow_free(struct flow_table *table);
