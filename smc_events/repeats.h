/* SPDX-License-Identifier: MIT */
/* How often something happened with a peer within the last minute. Pure. */
#pragma once

#include <stdint.h>

#include "smc/sock.h"

#define REPEATS_SECONDS 60

/* Peers that share a place of the hash; the one that was quiet for longest leaves it. */
#define REPEATS_WAYS 8
#define REPEATS_SETS 512

/** struct repeats_peer - @last: second of the newest; @counts: of each second, by its remainder */
struct repeats_peer {
	uint8_t family, ip[16];
	int64_t last;
	uint32_t counts[REPEATS_SECONDS];
};

/** struct repeats - begin with all zero */
struct repeats {
	struct repeats_peer peers[REPEATS_SETS][REPEATS_WAYS];
};

/**
 * repeats_count() - it happened once more
 * @peer: its port does not count
 * @at: nanoseconds; what comes may be a little older than what came before
 *
 * Return: how often within the minute up to @at, this time included.
 */
unsigned int repeats_count(struct repeats *repeats, const struct smc_addr *peer, int64_t at);
