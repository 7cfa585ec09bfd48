/* SPDX-License-Identifier: MIT */
/*
 * The network and the clock of "smc_chk serve" and "smc_chk connect", in memory: stands for
 * smc_chk/live/stream.c and endpoint.c. Time passes only while somebody waits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "smc_chk/live/stream.h"

/**
 * struct fake_live - the other end
 * @in: what it sends on each connection, @in_len bytes, of which @in_at are taken
 * @chunk: the most of it that arrives at once; 0 is 1
 * @gap_ns: time between two of these
 * @is_open: it stays when all is sent, and says no more; else it goes
 * @out: what it gets; NULL: nobody looks
 * @out_len: of it, also beyond @out_size
 * @now: the time
 * @answer: how it answers stream_exchange(): as that returns; NULL: as if it had gone
 * @limit: the last one that somebody waited for
 * @why_not: of endpoint_why_not()
 * @is_tcp: of endpoint_is_tcp()
 * @sock: of endpoint_diag(), NULL: nothing known
 * @dumps: how often that was asked
 * @connects: how often stream_connect() worked, until @max_connects; @is_aborted: the last end
 */
struct fake_live {
	const uint8_t *in;
	size_t in_len, in_at, chunk;
	uint64_t gap_ns;
	bool is_open;
	uint8_t *out;
	size_t out_len, out_size;
	uint64_t now;
	int (*answer)(const uint8_t *out, size_t out_len, uint8_t *in, size_t in_len);
	struct stream_limit limit;
	const char *why_not;
	bool is_tcp;
	const struct smc_sock *sock;
	int dumps, connects, max_connects;
	bool is_aborted;
};

extern struct fake_live fake;
