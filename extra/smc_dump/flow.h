/* SPDX-License-Identifier: MIT */
/* From packets to SMC handshakes and their outcome, per connection. Pure. */
#pragma once

#include "smc_dump/clc.h"
#include "smc_dump/packet.h"

/** enum flow_side - who sends */
enum flow_side { FLOW_CLIENT, FLOW_SERVER };

/**
 * struct flow_conn - a connection and the messages of its handshake
 * @number: from 1 on, in order of appearance; @ends: their addresses, by enum flow_side
 * @has_syn, @offers: a SYN of that side was seen, it offered SMC
 * @messages: by type; NULL if not seen; @decliner: who sent the decline
 * @begin: time of the first packet; @proposed, @answered: of the proposal, and of the last message
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
	FLOW_MESSAGE, /* a CLC message */
	FLOW_OUTCOME, /* the handshake is over, or its end will not be seen */
};

/**
 * struct flow_event - an event to show; the pointers are valid during the call
 * @message: of that kind; @data, @len: captured bytes of the message
 * @packet: the packet that completed it; NULL at the end of the capture
 */
struct flow_event {
	enum flow_event_kind kind;
	struct packet_time time;
	const struct flow_conn *conn;
	enum flow_side side;
	const struct smc_clc *message;
	const uint8_t *data;
	size_t len;
	const struct packet *packet;
};

/** flow_sink() - take an event. Return: 0, or a value that ends the processing */
typedef int flow_sink(void *arg, const struct flow_event *event);

struct flow_table;

/** flow_new() - an empty table; @is_all: include connections whose SYNs do not offer SMC */
struct flow_table *flow_new(flow_sink *sink, void *arg, bool is_all);

/** flow_packet() - process a packet. Return: 0, or the value of the sink */
int flow_packet(struct flow_table *table, const struct packet *packet);

/** flow_end() - report the outcome of the remaining handshakes. Return: as above */
int flow_end(struct flow_table *table);

/** flow_syns() - number of client SYNs, with or without SMC, including retransmissions */
uint64_t flow_syns(const struct flow_table *table);

void flow_free(struct flow_table *table);

/* ---- the outcome of a handshake, and why it was not better ---- */

#define JUDGE_NOTES 32

enum judge_mode {
	JUDGE_UNKNOWN, /* the end was not seen */
	JUDGE_TCP,
	JUDGE_SMCR,
	JUDGE_SMCD,
};

/**
 * struct judgement - the outcome
 * @version, @release: of SMC; @has_release: only known from the first connection of a link group
 * @reason: of a fallback, if @has_reason; @side: who found it, as smc/reason.h depends on that
 * @notes: sentences: the choice, why no better one, impossible values. They quote peers: escape
 *	them
 */
struct judgement {
	enum judge_mode mode;
	uint8_t version, release;
	bool has_release, has_reason;
	uint32_t reason;
	enum flow_side side;
	size_t n_notes;
	char notes[JUDGE_NOTES][320];
};

/** judge() - evaluate a handshake; @is_over: the connection has ended */
void judge(struct judgement *result, const struct flow_conn *conn, bool is_over);

/** judge_mode_name() - "SMC-R", "SMC-D", "TCP", "unknown" */
const char *judge_mode_name(enum judge_mode mode);

/** judge_paths() - offers of a proposal, as "SMC-R v1, SMC-D v2" or "nothing" */
#define JUDGE_PATHS_SIZE 48
const char *judge_paths(char text[JUDGE_PATHS_SIZE], const struct smc_clc *proposal);
