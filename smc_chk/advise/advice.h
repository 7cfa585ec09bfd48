/* SPDX-License-Identifier: MIT */
/* Advice for each group of connections, as text and JSON. Pure. */
#pragma once

#include "out/table.h"
#include "smc_chk/advise/tally.h"
#include "smc_chk/doctor/choice.h"
#include "smc_chk/smc_chk.h"

/** struct way_facts - @has_smc: this kernel has SMC */
struct way_facts {
	const struct choices *choices;
	bool has_smc;
};

#define WAY_TEXT_SIZE 128

/**
 * struct way - this host's side is certain, the peer's is not
 * @is_possible: by this host's side, in @mode, which @text describes; else @why_not
 */
struct way {
	bool is_possible;
	struct choice_mode mode;
	char text[WAY_TEXT_SIZE], why_not[WAY_TEXT_SIZE];
};

/** enum judge_class - as z/OS' SMCAT has them */
enum judge_class {
	CLASS_UNKNOWN, /* no numbers */
	CLASS_SHORT,
	CLASS_QUIET, /* lives, but says little */
	CLASS_SUITED,
};

/**
 * struct judge_row - a row of the table
 * @peer: address, or "(internet)"
 * @life: average in ms; @is_life_least: at least, as most connections lasted longer than was seen
 * @bytes_per_conn, @send: averages; @send of a segment, 0 for none
 * @is_bulk: segments are full
 * @bar: what SMC cannot carry, in words; NULL for nothing
 * @profits: it would, over @way, with @memory bytes of buffers
 * @advice: what to type, or "keep TCP"; names in it are shell words
 */
struct judge_row {
	const struct tally_group *group;
	const struct tally_owner *owner;
	char peer[64];
	uint64_t life;
	uint64_t bytes, bytes_per_conn, send;
	bool is_bulk, is_life_least;
	enum judge_class class;
	const char *bar;
	struct way way;
	bool profits;
	uint64_t memory;
	char *advice;
};

/**
 * struct judge_sum - of all plain TCP connections; those within this host are counted once
 * @smc_conns: of SMC sockets, counted nowhere else
 */
struct judge_sum {
	uint64_t conns, bytes, suited_conns, suited_bytes, memory, smc_conns;
};

/** struct judged - all rows, those with most bytes first */
struct judged {
	struct judge_row *rows;
	size_t count;
	struct judge_sum sum;
};

/** advise_judge() - fill in @judged, to be freed by judged_free() */
void advise_judge(struct judged *judged, const struct tally *tally, const struct way_facts *facts);

void judged_free(struct judged *judged);

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

/** advice_text() - append the table, the sum and how it was found out. @width: chk_request's */
void advice_text(struct out_text *text, const struct judged *judged, const struct tally *tally,
		 const struct watched *watched, size_t width);

/** advice_json() - the same. Return: new reference */
json_t *advice_json(const struct judged *judged, const struct tally *tally,
		    const struct watched *watched);
