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

/**
 * exchange_port() - have the server listen at another port, for this connection
 * @bytes: as of PROTO_BUFFERS
 * @port: receives it
 *
 * Return: 0; -EBUSY if the server refuses; another -errno: @fd is of no use any more.
 */
int exchange_port(int fd, int bytes, int timeout_ms, uint16_t *port);

/** exchange_round_trips() - EXCHANGE_ROUND_TRIPS small ones. Return: 0, -1 as exchange_data() */
int exchange_round_trips(struct client_result *result, int fd, const struct stream_limit *limit,
			 uint64_t *min_ns, uint64_t *median_ns);

enum exchange_greeting {
	EXCHANGE_STRANGER, /* not as ours greets, or not in time */
	EXCHANGE_READY,
	EXCHANGE_BUSY,
};

/**
 * exchange_greeting() - how does the server greet, within @wait_ms? Nothing is sent.
 *
 * Fills in @result->offers; a busy server leaves a sentence in @result.
 */
enum exchange_greeting exchange_greeting(struct client_result *result, int fd, int wait_ms);

/** measure_share_ns() - how long one thing is measured */
uint64_t measure_share_ns(int timeout_ms);

/**
 * measure_open() - one connection more to @result->peer; ours is complete when it has greeted
 * @buffers, @ns: as of stream_connect()
 *
 * Return: descriptor; -1 with a sentence in @result.
 */
int measure_open(struct client_result *result, bool is_smc, int buffers, int timeout_ms,
		 uint64_t *ns);

/** measure_connects() - one connection after the other. Return: 0, -1 as measure_open() */
int measure_connects(struct client_result *result, struct client_rates *rates, bool is_smc,
		     int buffers, const struct stream_limit *limit);

/** measure_throughput() - to the server only. Return: 0, -1 as exchange_data() */
int measure_throughput(struct client_result *result, struct client_rates *rates, int fd,
		       const struct stream_limit *limit);

/**
 * measure_rates() - --tcp-too: compare SMC with plain TCP
 * @fd: connection that exists
 *
 * Return: 0, -1 as exchange_data()
 */
int measure_rates(struct client_result *result, int fd, const struct stream_limit *limit);
