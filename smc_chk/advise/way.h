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
 * @is_possible: by this host's side
 * @needs_eid: once there is one
 * @mode: "SMC-D" or "SMC-R", NULL if it is not possible; @version of it
 * @buffers: how many of them a connection takes
 * @text: of all that
 * @why_not: if it is not possible
 */
struct way {
	bool is_possible, needs_eid, is_loopback;
	const char *mode;
	unsigned int version;
	unsigned int buffers;
	char text[WAY_TEXT_SIZE], why_not[WAY_TEXT_SIZE];
};

/** way_find() - for the connections of a group */
void way_find(struct way *way, const struct way_facts *facts, const struct tally_group *group);
