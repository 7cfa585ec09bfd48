/* SPDX-License-Identifier: MIT */
/* What SMC would use between this host and a peer, by the doctor's rules. Pure. */
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

/** way_find() - for the connections of a group */
void way_find(struct way *way, const struct way_facts *facts, const struct tally_group *group);
