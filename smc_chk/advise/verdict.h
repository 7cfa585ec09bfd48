/* SPDX-License-Identifier: MIT */
/* What is advised for each group of connections. Pure. */
#pragma once

#include "smc_chk/advise/tally.h"
#include "smc_chk/doctor/choice.h"

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
