/* SPDX-License-Identifier: MIT */
/* What a handshake led to, and why not to more. Pure. */
#pragma once

#include "smc_dump/flow.h"

#define JUDGE_NOTES 10

enum judge_mode {
	JUDGE_UNKNOWN, /* its end was not seen */
	JUDGE_TCP,
	JUDGE_SMCR,
	JUDGE_SMCD,
};

/**
 * struct judgement - what came out
 * @version, @release: of SMC; @has_release: the first connection of a link group tells
 * @reason: of a fallback, with @has_reason; @side: who found it, from whose point of view
 *	smc/remedy.h speaks
 * @notes: sentences: what was chosen, and why not more. They quote what peers sent: to be escaped
 */
struct judgement {
	enum judge_mode mode;
	uint8_t version, release;
	bool has_release, has_reason;
	uint32_t reason;
	enum flow_side side;
	size_t n_notes;
	char notes[JUDGE_NOTES][320];
};

/** judge() - from all that was seen of a handshake; @is_over: the connection has ended */
void judge(struct judgement *result, const struct flow_conn *conn, bool is_over);

/** judge_mode_name() - "SMC-R", "SMC-D", "TCP", "unknown" */
const char *judge_mode_name(enum judge_mode mode);

/** judge_paths() - "SMC-R v1, SMC-D v2": what a proposal offers; "nothing" */
#define JUDGE_PATHS_SIZE 48
const char *judge_paths(char text[JUDGE_PATHS_SIZE], const struct smc_clc *proposal);
