/* SPDX-License-Identifier: MIT */
/* Remedies: commands for a reason code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum smc_at - side on which to run a command, relative to the one that raised the reason */
enum smc_at {
	SMC_AT_HERE,
	SMC_AT_PEER,
	SMC_AT_BOTH,
};

/**
 * struct smc_remedy - one command for a reason
 * @command: words in capitals (IFACE, HOST, MYEID) are placeholders
 * @purpose: its effect or output, one clause
 */
struct smc_remedy {
	uint32_t code;
	enum smc_at at;
	const char *command, *purpose;
};

/** smc_remedies() - the likeliest remedy for a reason, NULL for none */
const struct smc_remedy *smc_remedies(uint32_t code);

/**
 * smc_remedy_at() - side on which to run the command
 * @is_peer: as seen from the peer of the side that raised the reason; else from that side
 */
enum smc_at smc_remedy_at(const struct smc_remedy *remedy, bool is_peer);

/** smc_remedy_next() - next remedy for the same reason, NULL after the last */
const struct smc_remedy *smc_remedy_next(const struct smc_remedy *remedy);
