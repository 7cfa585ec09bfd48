/* SPDX-License-Identifier: MIT */
/*
 * From records of eBPF to conversations: which are wanted, whose bytes come when, what is missing.
 * Pure.
 */
#pragma once

#include <sys/types.h>

#include "bpf/smcdata.h"
#include "smc/filter.h"
#include "smc/sock.h"

/**
 * struct conversation - a connection, seen from one of its ends
 * @number: from 1 on, in the order of their first bytes
 * @mode: SMC_MODE_NONE if it is not known: of an old one, where smc.ko has no type information
 * @lgr: id of an SMC-R link group, 0: not known
 * @is_old: it was there before
 * @is_server: the local end was connected to; of an old one that is guessed from its ports
 * @pid: of the process that wrote or read last, 0: none; @comm: its name
 * @passed: bytes of each direction that have been told, or are lost; [true]: those that were sent
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
 * struct payload - bytes of a conversation, or its end; all is valid during the call
 * @is_end: this end of it was closed: nothing else of it comes
 * @is_first: nothing of this conversation came before
 * @is_sent: by the local end
 * @at: nanoseconds since 1970
 * @lost: bytes of the same direction before these that are missing; of both before an end
 * @full: bytes that went by; @data, @len: the first of them
 * @is_unread: not all of those that were wanted could be read
 * @is_other_process: than before
 */
struct payload {
	const struct conversation *conversation;
	bool is_end, is_first, is_sent, is_unread, is_other_process;
	int64_t at;
	uint64_t lost;
	uint32_t full, len;
	const uint8_t *data;
};

/** payload_fn() - takes what is wanted. Return: 0, or a value that ends it all */
typedef int payload_fn(void *arg, const struct payload *payload);

/**
 * struct wish - what is wanted: a conversation for which all of it is true
 * @filter: true from the point of view of either end
 * @comm, @pid: of the process that has the first bytes; NULL, 0: any
 */
struct wish {
	const struct filter *filter;
	const char *comm;
	pid_t pid;
};

struct conversations;

/** conversations_new() - none yet; @unwanted: of struct smcdata_state */
struct conversations *conversations_new(const struct wish *wish, __u64 *unwanted, payload_fn *fn,
					void *arg);

/**
 * conversations_record() - one more, at @at, nanoseconds since 1970
 *
 * Of a connection within the host both ends are seen: the one whose bytes come first is told, the
 * other one is noted as unwanted. Return: 0, or what the function returned.
 */
int conversations_record(struct conversations *all, const struct smcdata_record *record,
			 const uint8_t *data, int64_t at);

/** conversations_count() - how many were told */
uint64_t conversations_count(const struct conversations *all);

void conversations_free(struct conversations *all);
