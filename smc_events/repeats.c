// SPDX-License-Identifier: MIT
/* How often something happened with a peer within the last minute. */
#include "repeats.h"

#include <string.h>

/* FNV-1a. */
static size_t set_of(const struct smc_addr *addr)
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < sizeof(addr->ip); i++)
		hash = (hash ^ addr->ip[i]) * 16777619U;
	return hash % REPEATS_SETS;
}

static struct repeats_peer *find(struct repeats *repeats, const struct smc_addr *addr)
{
	struct repeats_peer *set = repeats->peers[set_of(addr)], *quiet = set;

	for (size_t i = 0; i < REPEATS_WAYS; i++) {
		if (set[i].family == addr->family && !memcmp(set[i].ip, addr->ip, sizeof(addr->ip)))
			return &set[i];
		if (set[i].last < quiet->last)
			quiet = &set[i];
	}
	*quiet = (struct repeats_peer){ .family = addr->family };
	memcpy(quiet->ip, addr->ip, sizeof(addr->ip));
	return quiet;
}

/*
 * Seconds that have gone by since are empty. Events of several CPUs come in any order; what is more
 * than that is a clock that was set back.
 */
static void advance(struct repeats_peer *peer, int64_t second)
{
	if (peer->last - second >= REPEATS_SECONDS)
		peer->last = 0;
	if (second - peer->last >= REPEATS_SECONDS)
		memset(peer->counts, 0, sizeof(peer->counts));
	else
		for (int64_t i = peer->last + 1; i <= second; i++)
			peer->counts[i % REPEATS_SECONDS] = 0;
	if (second > peer->last)
		peer->last = second;
}

unsigned int repeats_count(struct repeats *repeats, const struct smc_addr *peer, int64_t at)
{
	struct repeats_peer *entry = find(repeats, peer);
	unsigned int sum = 0;

	advance(entry, at / 1000000000);
	entry->counts[entry->last % REPEATS_SECONDS]++;
	for (size_t i = 0; i < REPEATS_SECONDS; i++)
		sum += entry->counts[i];
	return sum;
}
