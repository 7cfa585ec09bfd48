/* SPDX-License-Identifier: MIT */
/* Medians of two series of measurements, and how sure their ratio is. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * With fewer pairs the interval is too narrow: of two equal things it would leave out 1 more
 * often than in one of twenty tries.
 */
#define NUMBERS_PAIRS 8

/**
 * struct numbers - two series compared
 * @one, @other: medians
 * @ratio: how much better the other is, 2 for twice as good; 0 if one of the medians is 0
 * @low, @high: 95 % interval of that; only with @has_interval
 */
struct numbers {
	double one, other, ratio, low, high;
	bool has_interval;
};

/** numbers_median() - of @count values, at least one; sorts them */
double numbers_median(double *values, size_t count);

/**
 * numbers_compare() - compare @count pairs of measurements, of which more is better, or less
 *
 * The interval of the ratio is that of the percentile bootstrap: pairs are drawn with replacement,
 * as what disturbs both of a pair disturbs neither alone; it is then made wider by about
 * sqrt(n / (n - 1)). The draws begin at a fixed seed: the same values give the same interval.
 */
void numbers_compare(struct numbers *out, const double *one, const double *other, size_t count,
		     bool is_more_better);
