/* SPDX-License-Identifier: MIT */
/* Hash index: find an item of an array by its key. Pure. */
#pragma once

#include "base/memory.h"

/** struct smc_index - open-addressed hash table of indexes into an array; zero-initialize */
struct smc_index {
	struct smc_index_slot *slots;
	size_t count, size;
};

ARRAY_FREE(smc_index_free, smc_index, slots)

#define SMC_INDEX_NONE SIZE_MAX

/** smc_index_fn - true if the item at @place has this key */
typedef bool (*smc_index_fn)(const void *arg, size_t place, const void *key);

/** smc_index_hash() - hash of bytes; @seed: 0, or the hash of another part of the key */
uint64_t smc_index_hash(const void *data, size_t len, uint64_t seed);

/** smc_index_find() - index of the item, or SMC_INDEX_NONE; @is_it: is usually called once */
size_t smc_index_find(const struct smc_index *index, uint64_t hash, smc_index_fn is_it,
		      const void *arg, const void *key);

/** smc_index_add() - add the item at @place, whose key must be new */
void smc_index_add(struct smc_index *index, uint64_t hash, size_t place);

/** smc_index_remove() - remove the item at @place, with this hash, from the index */
void smc_index_remove(struct smc_index *index, uint64_t hash, size_t place);
