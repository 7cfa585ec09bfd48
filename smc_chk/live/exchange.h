/* SPDX-License-Identifier: MIT */
/* Requests of the live test, what comes back, and how fast. */
#pragma once

#include "smc_chk/live/report.h"
#include "smc_chk/live/stream.h"

#define EXCHANGE_ROUND_TRIPS 20

/* Those that return -1 leave a sentence in @result. */

/** exchange_data() - send a request with test data, and check what comes back. Return: 0, -1 */
int exchange_data(struct client_result *result, int fd, uint8_t command, size_t len,
		  const struct stream_limit *limit);

/**
 * exchange_port() - have the server listen at another @port. @bytes: as of PROTO_BUFFERS
 *
 * Return: 0; -EBUSY if the server refuses; another -errno: @fd is of no use any more.
 */
int exchange_port(int fd, int bytes, int timeout_ms, uint16_t *port);

/** exchange_round_trips() - EXCHANGE_ROUND_TRIPS small ones. Return: 0, -1 */
int exchange_round_trips(struct client_result *result, int fd, const struct stream_limit *limit,
			 double *min_ns, double *median_ns);

/**
 * exchange_greeting() - how does the server greet, within @wait_ms? Nothing is sent.
 *
 * Return: 0 with @result->offers; -EBUSY with a sentence; -EPROTO: not as ours greets, or too late.
 */
int exchange_greeting(struct client_result *result, int fd, int wait_ms);

/** measure_share_ns() - how long one thing is measured */
uint64_t measure_share_ns(int timeout_ms);

/**
 * measure_open() - as stream_connect(), one connection more to @result->peer; ours is complete when
 *	it has greeted. Return: descriptor, -1
 */
int measure_open(struct client_result *result, bool is_smc, int buffers, int timeout_ms,
		 uint64_t *ns);

/** measure_connects() - one connection after the other. Return: 0, -1 */
int measure_connects(struct client_result *result, struct client_rates *rates, bool is_smc,
		     int buffers, const struct stream_limit *limit);

/** measure_throughput() - to the server only. Return: 0, -1 */
int measure_throughput(struct client_result *result, struct client_rates *rates, int fd,
		       const struct stream_limit *limit);

/** measure_rates() - --tcp-too: compare @fd over SMC with plain TCP. Return: 0, -1 */
int measure_rates(struct client_result *result, int fd, const struct stream_limit *limit);
