// SPDX-License-Identifier: MIT
/* Hash index: find an item of an array by its key. */
#include "base/index.h"

#include "base/array.h"
#include "base/memory.h"

#define FIRST 64

/* @place: index plus one, 0 for an empty slot. */
struct smc_index_slot {
	uint64_t hash;
	size_t place;
};

/* FNV-1a; the last step mixes the last bytes into the lower half too. */
uint64_t smc_index_hash(const void *data, size_t len, uint64_t seed)
{
	const unsigned char *bytes = data;
	uint64_t hash = 14695981039346656037ULL ^ seed;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 1099511628211ULL;
	return hash ^ hash >> 32;
}

size_t smc_index_find(const struct smc_index *index, uint64_t hash, smc_index_fn is_it,
		      const void *arg, const void *key)
{
	const size_t mask = index->size - 1;

	if (!index->size)
		return SMC_INDEX_NONE;
	for (size_t i = hash & mask; index->slots[i].place; i = (i + 1) & mask)
		if (index->slots[i].hash == hash && is_it(arg, index->slots[i].place - 1, key))
			return index->slots[i].place - 1;
	return SMC_INDEX_NONE;
}

static void put(struct smc_index *index, const struct smc_index_slot *slot)
{
	size_t i = slot->hash & (index->size - 1);

	while (index->slots[i].place)
		i = (i + 1) & (index->size - 1);
	index->slots[i] = *slot;
	index->count++;
}

static void grow(struct smc_index *index)
{
	struct smc_index more = { .size = index->size ? 2 * index->size : FIRST };

	more.slots = xcalloc(more.size, sizeof(*more.slots));
	for (size_t i = 0; i < index->size; i++)
		if (index->slots[i].place)
			put(&more, &index->slots[i]);
	free(index->slots);
	*index = more;
}

void smc_index_add(struct smc_index *index, uint64_t hash, size_t place)
{
	if (2 * (index->count + 1) > index->size)
		grow(index);
	put(index, &(struct smc_index_slot){ hash, place + 1 });
}

/* True if the probe sequence of the item in slot @at, which may wrap around, passes slot @hole. */
static bool comes_by(const struct smc_index *index, size_t at, size_t hole)
{
	const size_t mask = index->size - 1, home = index->slots[at].hash & mask;

	return ((hole - home) & mask) <= ((at - home) & mask);
}

/* Move up the following items of the probe sequence, until the next empty slot. */
void smc_index_remove(struct smc_index *index, uint64_t hash, size_t place)
{
	const size_t mask = index->size - 1;
	size_t hole = hash & mask;

	if (!index->size)
		return;
	while (index->slots[hole].place && index->slots[hole].place != place + 1)
		hole = (hole + 1) & mask;
	if (!index->slots[hole].place)
		return;
	for (size_t i = (hole + 1) & mask; index->slots[i].place; i = (i + 1) & mask) {
		if (!comes_by(index, i, hole))
			continue;
		index->slots[hole] = index->slots[i];
		hole = i;
	}
	index->slots[hole].place = 0;
	index->count--;
}
