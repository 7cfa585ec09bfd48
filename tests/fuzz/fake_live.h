/* SPDX-License-Identifier: MIT */
/*
 * Simulated network and clock for "smc_chk serve" and "smc_chk connect": replaces
 * smc_chk/live/stream.c and endpoint.c. Time advances only while waiting.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "smc_chk/live/endpoint.h"

/**
 * struct fake_live - the peer
 * @in: bytes it sends on each connection, @in_len of them, @in_at already received
 * @chunk: maximum size of a piece; 0 is 1
 * @gap_ns: time between two pieces
 * @is_open: it stays silent after the last byte; else it closes
 * @out: bytes it receives; NULL: dropped
 * @out_len: number of bytes, may exceed @out_size
 * @now: current time
 * @answer: its answer in stream_exchange(), with the same return values; NULL: it has closed
 * @limit: the most recent timeout
 * @why_not: result of endpoint_why_not()
 * @is_tcp: result of endpoint_is_tcp()
 * @has_declined: result of endpoint_has_declined()
 * @sock: result of endpoint_diag(), NULL: unknown
 * @dumps: number of calls of endpoint_diag()
 * @connects: successful calls of stream_connect(), up to @max_connects; @is_aborted: last close
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
	bool is_tcp, has_declined;
	const struct smc_sock *sock;
	int dumps, connects, max_connects;
	bool is_aborted;
};

extern struct fake_live fake;
