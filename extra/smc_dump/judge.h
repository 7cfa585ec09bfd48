/* SPDX-License-Identifier: MIT */
/* The outcome of a handshake, and why it was not better. Pure. */
#pragma once

#include "smc_dump/flow.h"

#define JUDGE_NOTES 32

enum judge_mode {
	JUDGE_UNKNOWN, /* the end was not seen */
	JUDGE_TCP,
	JUDGE_SMCR,
	JUDGE_SMCD,
};

/**
 * struct judgement - the outcome
 * @version, @release: of SMC; @has_release: only known from the first connection of a link group
 * @reason: of a fallback, with @has_reason; @side: who found it, which selects the point of view in
 *	smc/reason.h
 * @notes: sentences: the choice, why not more, and impossible values. They quote peers: escape them
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

/** judge() - evaluate a handshake; @is_over: the connection has ended */
void judge(struct judgement *result, const struct flow_conn *conn, bool is_over);

/** judge_mode_name() - "SMC-R", "SMC-D", "TCP", "unknown" */
const char *judge_mode_name(enum judge_mode mode);

/** judge_paths() - offers of a proposal, as "SMC-R v1, SMC-D v2" or "nothing" */
#define JUDGE_PATHS_SIZE 48
const char *judge_paths(char text[JUDGE_PATHS_SIZE], const struct smc_clc *proposal);
