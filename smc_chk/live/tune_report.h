/* SPDX-License-Identifier: MIT */
/* -C --tune: what was measured, which is best, and how to keep it. */
#pragma once

#include "base/numbers.h"
#include "smc_chk/live/report.h"
#include "smc_chk/smc_chk.h"

#define TUNE_ROUNDS 9 /* as many as the interval of a ratio takes, and one to spare */
#define TUNE_ROWS 8   /* sizes: the usual one, 64 KiB to 4 MiB; knobs: as it is, 7 changes */

/**
 * struct tune_row - one thing that was tried
 * @asked: for SO_RCVBUF and SO_SNDBUF, 0 for the kernel's own
 * @send, @receive, @server: what the connection got, here and at the server's receiving end; bytes,
 *	0 if unknown
 * @knob: of net.smc, whose value was @value; NULL for those as they are
 * @why: the group did not get that, so it was not measured; else empty
 * @values: one for each round, more is better; @sorted: the same in their order
 * @behind: the best one compared with this one
 */
struct tune_row {
	int asked;
	uint32_t send, receive, server;
	const char *knob;
	unsigned long value;
	char why[100];
	double values[TUNE_ROUNDS], sorted[TUNE_ROUNDS];
	struct numbers behind;
};

/**
 * struct tune_table - what is compared; the first row is what there is without a change
 * @best: highest median; @enough: the first one if the best one is not shown to be better, else the
 *	first that is nearly as good and not shown to be worse
 */
struct tune_table {
	struct tune_row rows[TUNE_ROWS];
	int count, best, enough;
};

/**
 * struct tune - all of it
 * @has_server: the server takes the same sizes; @was_reached: at the ports that it has for them
 * @port: its usual one
 * @limit: the least of net.core.rmem_max and net.core.wmem_max; sizes end there
 * @kernel: of --kernel, with the size that is enough; else empty
 */
struct tune {
	const struct chk_request *req;
	struct client_result result;
	bool has_server, was_reached;
	uint16_t port;
	unsigned long limit;
	struct tune_table sizes, kernel;
};

/** tune_judge() - fill in what follows from the values. Pure. Return: 0, -ENOMEM */
int tune_judge(struct tune_table *table);

/** tune_text() - for people */
void tune_text(struct out_text *text, const struct tune *tune);

/** tune_json() - NULL if memory ran out */
json_t *tune_json(const struct tune *tune);
