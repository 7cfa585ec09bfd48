/* SPDX-License-Identifier: MIT */
/* How often something happened with a peer within the last minute. Pure. */
#pragma once

#include <stdint.h>

#include "smc/sock.h"

#define REPEATS_SECONDS 60

struct repeats;

/** repeats_new() - of no peer yet */
struct repeats *repeats_new(void);

/**
 * repeats_count() - it happened once more
 * @peer: its port does not count
 * @at: nanoseconds; what comes may be a little older than what came before
 *
 * Memory is limited: of thousands of peers those are forgotten that were quiet for longest.
 *
 * Return: how often within the minute up to @at, this time included.
 */
unsigned int repeats_count(struct repeats *repeats, const struct smc_addr *peer, int64_t at);

void repeats_free(struct repeats *repeats);
