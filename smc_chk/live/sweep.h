/* SPDX-License-Identifier: MIT */
/* tune --shape sweep: message sizes and numbers of clients, over SMC and over TCP. */
#pragma once

#include "base/numbers.h"
#include "smc_chk/live/client.h"
#include "smc_chk/live/tune_report.h"

#define SWEEP_SIZES 4
#define SWEEP_COUNTS 3
#define SWEEP_POINTS (SWEEP_SIZES * SWEEP_COUNTS)
#define SWEEP_CLIENTS 16 /* highest number of clients */

/**
 * struct sweep_point - a message size and a number of clients
 * @bytes: size of a request, and of its answer
 * @smc, @tcp: exchanges per second of all clients, one value per round
 * @numbers: medians of @tcp and @smc; ratio above 1: SMC is faster
 */
struct sweep_point {
	uint32_t bytes, clients;
	double smc[TUNE_ROUNDS], tcp[TUNE_ROUNDS];
	struct numbers numbers;
};

/** struct sweep - all measurements */
struct sweep {
	const struct chk_request *req;
	struct client_result result;
	struct sweep_point points[SWEEP_POINTS];
};

/** sweep_points() - set sizes and clients of all points. Pure */
void sweep_points(struct sweep *sweep);

/** sweep_judge() - compute @numbers. Pure */
void sweep_judge(struct sweep *sweep);

/** sweep_text() - append as text */
void sweep_text(struct out_text *text, const struct sweep *sweep);

/** sweep_json() - the measurements as a JSON object */
json_t *sweep_json(const struct sweep *sweep);

/** sweep_measure() - measure all points. Return: 0, -1 with a message in @sweep->result */
int sweep_measure(struct sweep *sweep);
