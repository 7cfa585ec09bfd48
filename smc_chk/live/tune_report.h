/* SPDX-License-Identifier: MIT */
/* tune: what was measured, which is best, and how to keep it. */
#pragma once

#include "base/numbers.h"
#include "smc_chk/live/client.h"
#include "smc_chk/smc_chk.h"

#define TUNE_ROUNDS 9 /* as many as the interval of a ratio takes, and one to spare */
#define TUNE_SIZES 8  /* the usual one, 64 KiB to 4 MiB */

/**
 * struct tune_size - one that was tried
 * @asked: for SO_RCVBUF and SO_SNDBUF, 0 for the kernel's own
 * @send, @receive, @server: what the connection got, here and at the server's receiving end; bytes,
 *	0 if unknown
 * @values: one for each round, more is better; @sorted: the same in their order
 * @behind: the best one compared with this one
 */
struct tune_size {
	int asked;
	uint32_t send, receive, server;
	double values[TUNE_ROUNDS], sorted[TUNE_ROUNDS];
	struct numbers behind;
};

/**
 * struct tune - all of it
 * @has_server: the server takes the same sizes; @was_reached: at the ports that it has for them
 * @port: its usual one
 * @limit: the least of net.core.rmem_max and net.core.wmem_max; sizes end there
 * @best: highest median; @enough: the usual one if the best one is not shown to be better, else the
 *	smallest that is nearly as good and not shown to be worse
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

/** tune_judge() - fill in what follows from the values. Pure */
void tune_judge(struct tune *tune);

/** tune_text() - for people */
void tune_text(struct out_text *text, const struct tune *tune);

/** tune_json() - the same as one object */
json_t *tune_json(const struct tune *tune);
