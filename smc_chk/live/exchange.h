/* SPDX-License-Identifier: MIT */
/* Requests of the live test, what comes back, and how fast. */
#pragma once

#include "smc_chk/live/report.h"

#define EXCHANGE_ROUND_TRIPS 20

/**
 * exchange_data() - send a request with @len bytes of test data and check what comes back
 * @command: PROTO_ECHO, PROTO_SINK, PROTO_WHO
 *
 * Return: 0; -1 with a sentence in @result.
 */
int exchange_data(struct client_result *result, int fd, uint8_t command, size_t len,
		  int timeout_ms);

/** exchange_round_trips() - EXCHANGE_ROUND_TRIPS small ones. Return: 0, -1 as exchange_data() */
int exchange_round_trips(struct client_result *result, int fd, int timeout_ms, uint64_t *min_ns,
			 uint64_t *median_ns);

/** exchange_is_greeted() - does the server greet as ours does? Nothing is sent. */
bool exchange_is_greeted(int fd, int wait_ms);

/**
 * measure_rates() - --tcp-too: compare SMC with plain TCP
 * @fd: connection that exists
 *
 * Return: 0, -1 as exchange_data()
 */
int measure_rates(struct client_result *result, int fd, int timeout_ms);
