/* SPDX-License-Identifier: MIT */
/* The table of advise, as text and JSON. */
#pragma once

#include "out/table.h"
#include "smc_chk/advise/verdict.h"
#include "smc_chk/smc_chk.h"

/**
 * struct watched - how the watch went
 * @has_bpf: an eBPF program saw each connection begin and end; else there were lists only, and
 *	@why_not has the reason
 * @duration: how long it took, in ms
 * @interval: longest time between two lists, in ms
 * @is_lossy: there were more ends than could be read
 * @is_blind: other users' processes could not be seen
 */
struct watched {
	char why_not[512];
	uint64_t duration, interval;
	bool has_bpf, is_lossy, is_blind;
};

/** advice_text() - append the table, the sum and how it was found out */
void advice_text(struct out_text *text, const struct judged *judged, const struct tally *tally,
		 const struct watched *watched);

/** advice_json() - the same. Return: new reference */
json_t *advice_json(const struct judged *judged, const struct tally *tally,
		    const struct watched *watched);
