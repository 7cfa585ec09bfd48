// SPDX-License-Identifier: MIT
/* lib/base/index: every key is found, by looking at very few items. */
#include "test.h"

#include "base/index.h"

#define MANY 20000

static size_t looks;

static bool is_number(const void *arg, size_t place, const void *key)
{
	looks++;
	return ((const uint64_t *)arg)[place] == *(const uint64_t *)key;
}

static size_t find(const struct smc_index *index, const uint64_t *numbers, uint64_t number)
{
	return smc_index_find(index, smc_index_hash(&number, sizeof(number), 0), is_number, numbers,
			      &number);
}

/* Numbers like those of inodes: consecutive, or every fourth. */
TEST(finds_all)
{
	static uint64_t numbers[MANY];

	for (uint64_t step = 1; step <= 4096; step *= 4) {
		struct smc_index index = { 0 };

		assert_int_equal(find(&index, numbers, 1), SMC_INDEX_NONE);
		for (size_t i = 0; i < MANY; i++) {
			numbers[i] = 1000 + i * step;
			assert_int_equal(find(&index, numbers, numbers[i]), SMC_INDEX_NONE);
			smc_index_add(&index, smc_index_hash(&numbers[i], 8, 0), i);
		}
		looks = 0;
		for (size_t i = 0; i < MANY; i++)
			assert_int_equal(find(&index, numbers, numbers[i]), i);
		assert_true(looks < MANY + MANY / 100);
		assert_int_equal(find(&index, numbers, 1), SMC_INDEX_NONE);
		smc_index_free(&index);
		assert_int_equal(find(&index, numbers, 1000), SMC_INDEX_NONE);
	}
}

/* Remove items in any order, with few slots for many hashes: the rest is still found. */
TEST(forgets)
{
	uint64_t numbers[200], seed = 1;
	bool is_there[ARRAY_SIZE(numbers)] = { false };
	struct smc_index index = { 0 };

	smc_index_remove(&index, 1, 0);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		numbers[i] = i;
	for (int turn = 0; turn < 20000; turn++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		size_t i = (seed >> 33) % ARRAY_SIZE(numbers);
		/* Few different hashes, also near the end of the table. */
		uint64_t hash = i % 7 * 61;

		if (is_there[i])
			smc_index_remove(&index, hash, i);
		else
			smc_index_add(&index, hash, i);
		is_there[i] = !is_there[i];
		i = (seed >> 20) % ARRAY_SIZE(numbers);
		assert_int_equal(
			smc_index_find(&index, i % 7 * 61, is_number, numbers, &numbers[i]),
			is_there[i] ? i : SMC_INDEX_NONE);
	}
	smc_index_free(&index);
}

/* Keys with equal hashes. */
TEST(tells_apart)
{
	const uint64_t numbers[] = { 1, 2, 3 };
	struct smc_index index = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		smc_index_add(&index, 7, i);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_int_equal(smc_index_find(&index, 7, is_number, numbers, &numbers[i]), i);
	assert_int_equal(smc_index_find(&index, 7 + 64, is_number, numbers, &numbers[0]),
			 SMC_INDEX_NONE);
	smc_index_free(&index);
}

/* The parts of a key, one after the other. */
TEST(hashes)
{
	assert_int_equal(smc_index_hash("ab", 2, 0), smc_index_hash("ab", 2, 0));
	assert_int_not_equal(smc_index_hash("ab", 2, 0), smc_index_hash("ba", 2, 0));
	assert_int_not_equal(smc_index_hash("b", 1, smc_index_hash("a", 1, 0)),
			     smc_index_hash("a", 1, smc_index_hash("b", 1, 0)));
}
