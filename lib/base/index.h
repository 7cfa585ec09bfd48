/* SPDX-License-Identifier: MIT */
/* Finds an item of an array by its key, however many there are. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct smc_index - open hash of places in an array of the caller; begin with all zero */
struct smc_index {
	struct smc_index_slot *slots;
	size_t count, size;
};

#define SMC_INDEX_NONE SIZE_MAX

/** smc_index_fn - is the item at @place the one with this key? */
typedef bool (*smc_index_fn)(const void *arg, size_t place, const void *key);

/** smc_index_hash() - of bytes; @seed: 0, or that of another part of the key */
uint64_t smc_index_hash(const void *data, size_t len, uint64_t seed);

/**
 * smc_index_find() - the place of the item with this key, SMC_INDEX_NONE
 * @hash: of the key; @is_it: is asked for very few items, mostly for the one
 */
size_t smc_index_find(const struct smc_index *index, uint64_t hash, smc_index_fn is_it,
		      const void *arg, const void *key);

/** smc_index_add() - the item at @place has a key that is not there yet */
void smc_index_add(struct smc_index *index, uint64_t hash, size_t place);

/** smc_index_append() - put a copy of @item at the end, as smc_array_append(), to be found */
void smc_index_append(struct smc_index *index, uint64_t hash, void *items, size_t *count,
		      size_t *size, const void *item, size_t item_size);

/** smc_index_remove() - the item at @place, which has that hash, is not to be found any more */
void smc_index_remove(struct smc_index *index, uint64_t hash, size_t place);

/** smc_index_free() - forget all; it can be used again */
void smc_index_free(struct smc_index *index);
