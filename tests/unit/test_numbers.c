// SPDX-License-Identifier: MIT
/* base/numbers: comparing measurements with a known difference. */
#include "test.h"

#include <math.h>

#include "base/numbers.h"

#define TRIES 40
#define MOST 30

static uint64_t seed;

static double uniform(void)
{
	uint64_t x = seed += 0x632be59bd9b4e019;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* Approximately normal: the sum of twelve. */
static double normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

/* A one-second run on a busy machine: now and then it takes twice as long. */
static double run_time(void)
{
	return exp(0.1 * normal()) * (uniform() < 0.1 ? 1 + uniform() : 1);
}

/* Return: how often a difference is found, of two commands that differ by @factor. */
static int differences(size_t pairs, double factor, double drift)
{
	double tcp[MOST], smc[MOST];
	struct numbers numbers;
	int found = 0;

	seed = pairs;
	for (int i = 0; i < TRIES; i++) {
		for (size_t pair = 0; pair < pairs; pair++) {
			double both = exp(drift * uniform());

			tcp[pair] = run_time() * both * factor;
			smc[pair] = run_time() * both;
		}
		numbers_compare(&numbers, tcp, smc, pairs, false);
		assert_true(numbers.has_interval);
		assert_true(numbers.low <= numbers.ratio && numbers.ratio <= numbers.high);
		found += numbers.low > 1 || numbers.high < 1;
	}
	return found;
}

/* At least 19 of 20 times, also if the machine gets slower during the test. */
TEST(command_against_itself)
{
	assert_true(differences(NUMBERS_PAIRS, 1, 0) <= TRIES / 20);
	assert_true(differences(NUMBERS_PAIRS, 1, 0.3) <= TRIES / 20);
	assert_true(differences(20, 1, 0.3) <= TRIES / 20);
}

TEST(finds_what_is_there)
{
	assert_true(differences(NUMBERS_PAIRS, 2, 0) > TRIES * 95 / 100);
	assert_true(differences(MOST, 1.25, 0.3) > TRIES * 95 / 100);
}

TEST(medians_and_ratio)
{
	const double tcp[] = { 4, 2, 8, 6 }, smc[] = { 2, 3, 3, 2 };
	double odd[] = { 3, 1, 2 };
	struct numbers numbers;

	assert_true(numbers_median(odd, 3) == 2);
	numbers_compare(&numbers, tcp, smc, 4, false);
	assert_true(numbers.one == 5 && numbers.other == 2.5 && numbers.ratio == 2);
	assert_false(numbers.has_interval); /* too few */
	numbers_compare(&numbers, tcp, smc, 4, true);
	assert_true(numbers.ratio == 0.5); /* exact, even if registers have more digits */
	assert_true(tcp[0] == 4 && smc[1] == 3);
	numbers_compare(&numbers, tcp, smc, 1, true);
	assert_true(numbers.one == 4 && numbers.other == 2);
}

TEST(same_values_same_interval)
{
	double tcp[NUMBERS_PAIRS], smc[NUMBERS_PAIRS];
	struct numbers one, two;

	for (int i = 0; i < NUMBERS_PAIRS; i++) {
		tcp[i] = 10 + i;
		smc[i] = 4 + i % 2;
	}
	numbers_compare(&one, tcp, smc, NUMBERS_PAIRS, false);
	numbers_compare(&two, tcp, smc, NUMBERS_PAIRS, false);
	assert_true(one.has_interval && one.low == two.low && one.high == two.high);
	assert_true(one.low > 2 && one.low < one.ratio && one.ratio < one.high && one.high < 4.26);
}

TEST(zeros)
{
	const double none[NUMBERS_PAIRS] = { 0 };
	double some[NUMBERS_PAIRS] = { 0, 0, 1, 1, 1, 1, 1, 1 };
	struct numbers numbers;

	numbers_compare(&numbers, none, some, NUMBERS_PAIRS, false);
	assert_true(numbers.ratio == 0 && !numbers.has_interval);
	numbers_compare(&numbers, some, some, NUMBERS_PAIRS, false);
	assert_true(numbers.ratio == 1 && (!numbers.has_interval || numbers.low > 0));
}
