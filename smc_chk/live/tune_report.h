/* SPDX-License-Identifier: MIT */
/* tune: measurements, the best size, and how to set it permanently. */
#pragma once

#include "base/numbers.h"
#include "smc_chk/live/client.h"
#include "smc_chk/smc_chk.h"

#define TUNE_ROUNDS 9 /* required for the confidence interval of a ratio, plus one */
#define TUNE_SIZES 8  /* the default, 64 KiB to 4 MiB */

/**
 * struct tune_size - a size under test
 * @asked: SO_RCVBUF and SO_SNDBUF, 0 for the kernel's defaults
 * @send, @receive, @server: actual sizes, here and at the server's receiving end; bytes,
 *	0 if unknown
 * @values: one per round, more is better; @sorted: the same, sorted
 * @behind: ratio of the best size to this one
 */
struct tune_size {
	int asked;
	uint32_t send, receive, server;
	double values[TUNE_ROUNDS], sorted[TUNE_ROUNDS];
	struct numbers behind;
};

/**
 * struct tune - all measurements
 * @has_server: the server can use the same sizes; @was_reached: its extra ports are reachable
 * @port: its main port
 * @limit: minimum of net.core.rmem_max and net.core.wmem_max; sizes end there
 * @best: highest median; @enough: the default, unless the best is shown to be better; else the
 *	smallest size that is nearly as good and not shown to be worse
 */
struct tune {
	const struct chk_request *req;
	struct client_result result;
	bool has_server, was_reached;
	uint16_t port;
	unsigned long limit;
	struct tune_size sizes[TUNE_SIZES];
	int count, best, enough;
};

/** tune_judge() - compute the results from the values. Pure */
void tune_judge(struct tune *tune);

/** tune_text() - append as text */
void tune_text(struct out_text *text, const struct tune *tune);

/** tune_json_values() - values of all rounds as a JSON array */
json_t *tune_json_values(const double values[TUNE_ROUNDS]);

/** tune_json() - the measurements as a JSON object */
json_t *tune_json(const struct tune *tune);
