/* SPDX-License-Identifier: MIT */
/* From eBPF records to conversations: which are wanted, their bytes in order, the gaps. Pure. */
#pragma once

#include "bpf/smcdata.h"
#include "smc/filter.h"
#include "smc/sock.h"
#include "smc_dump/print_event.h"

/**
 * struct conversation - a connection, seen from one of its ends
 * @number: from 1 on, in the order of their first bytes
 * @mode: SMC_MODE_NONE if unknown: an old connection, and smc.ko has no type information
 * @lgr: id of an SMC-R link group, 0: not known; @is_old: the connection existed before the capture
 * @is_server: the local end accepted; guessed from the ports if @is_old
 * @pid: last process to write or read, 0: none; @comm: its name
 * @passed: bytes of each direction that were reported or lost; [true]: sent ones
 */
struct conversation {
	uint64_t number, id;
	struct smc_addr local, peer;
	enum smc_mode mode;
	uint32_t lgr;
	bool is_old, is_server;
	uint64_t passed[2];
	pid_t pid;
	char comm[16];
};

/** conversation_mode() - "SMCR", "SMCD", or "SMC" if it is not known */
const char *conversation_mode(const struct conversation *conversation);

/**
 * struct payload - bytes of a conversation, or its end; pointers are valid during the call
 * @is_end: this end was closed: no more of it follows
 * @is_first: first piece of this conversation; @is_sent: by the local end
 * @at: nanoseconds since 1970
 * @lost: bytes missing before these, in this direction; before an end, in both directions
 * @full: bytes transferred; @data, @len: the first of them
 * @is_unread: some of the requested bytes could not be read
 * @is_other_process: another process than before
 */
struct payload {
	const struct conversation *conversation;
	bool is_end, is_first, is_sent, is_unread, is_other_process;
	int64_t at;
	uint64_t lost;
	uint32_t full, len;
	const uint8_t *data;
};

/** payload_fn() - take a piece that is wanted. Return: 0, or a value that ends the processing */
typedef int payload_fn(void *arg, const struct payload *payload);

/**
 * struct wish - a conversation is wanted if all of this is true
 * @filter: true from the point of view of either end
 * @comm, @pid: process of the first bytes; NULL, 0: any
 */
struct wish {
	const struct filter *filter;
	const char *comm;
	pid_t pid;
};

struct conversations;

/** conversations_new() - an empty table; @unwanted: of struct smcdata_state */
struct conversations *conversations_new(const struct wish *wish, __u64 *unwanted, payload_fn *fn,
					void *arg);

/**
 * conversations_record() - process a record; @at: nanoseconds since 1970
 *
 * If both ends of a connection are on this host, only the end whose bytes come first is reported,
 * the other one is marked as unwanted. Return: 0, or the value of the function.
 */
int conversations_record(struct conversations *all, const struct smcdata_record *record,
			 const uint8_t *data, int64_t at);

/** conversations_count() - number of reported conversations */
uint64_t conversations_count(const struct conversations *all);

void conversations_free(struct conversations *all);

/*
 * ---- output ----
 *
 * As text or as lines of JSON, where everything that programs and peers chose is escaped; or as a
 * pcapng file with made-up Ethernet, IP and TCP headers, which any capture reader can follow.
 */

/** print_payload() - append a piece, or an end, as text or JSON */
void print_payload(struct out_text *text, const struct show *show, const struct payload *payload);

/** pcapng_head() - append the file header; @version: of smc_dump */
void pcapng_head(struct out_text *text, const char *version);

/**
 * pcapng_payload() - append the packets of a piece, or of an end
 *
 * A TCP handshake precedes the first piece of a conversation, its end follows the last one.
 * Comments show process, mode, link group, and what is missing.
 */
void pcapng_payload(struct out_text *text, const struct payload *payload);

/** pcapng_tail() - append the end of a file; @at: ns since 1970; @shown, @lost: number of pieces */
void pcapng_tail(struct out_text *text, int64_t at, uint64_t shown, uint64_t lost);
