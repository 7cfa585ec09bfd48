/* SPDX-License-Identifier: MIT */
/* Requests of the live test, what comes back, and how fast. */
#pragma once

#include "smc_chk/live/report.h"
#include "smc_chk/live/stream.h"

#define EXCHANGE_ROUND_TRIPS 20

/**
 * exchange_data() - send a request with @len bytes of test data and check what comes back
 * @command: PROTO_ECHO, PROTO_SINK, PROTO_WHO
 *
 * Return: 0; -1 with a sentence in @result.
 */
int exchange_data(struct client_result *result, int fd, uint8_t command, size_t len,
		  const struct stream_limit *limit);

/** exchange_round_trips() - EXCHANGE_ROUND_TRIPS small ones. Return: 0, -1 as exchange_data() */
int exchange_round_trips(struct client_result *result, int fd, const struct stream_limit *limit,
			 uint64_t *min_ns, uint64_t *median_ns);

enum exchange_greeting {
	EXCHANGE_STRANGER, /* not as ours greets, or not in time */
	EXCHANGE_READY,
	EXCHANGE_BUSY,
};

/** exchange_greeting() - how does the server greet, within @wait_ms? Nothing is sent. */
enum exchange_greeting exchange_greeting(int fd, int wait_ms);

/** exchange_busy() - the sentence on a busy server. Return: -EBUSY */
int exchange_busy(struct smc_err *err);

/**
 * measure_rates() - --tcp-too: compare SMC with plain TCP
 * @fd: connection that exists
 *
 * Return: 0, -1 as exchange_data()
 */
int measure_rates(struct client_result *result, int fd, const struct stream_limit *limit);
