/* SPDX-License-Identifier: MIT */
/* Medians of two series of measurements, and the confidence interval of their ratio. Pure. */
#pragma once

#include "base/libc.h"

/* With fewer pairs, the interval would exclude 1 in over 5 % of the runs, even for equal things. */
#define NUMBERS_PAIRS 8

/**
 * struct numbers - comparison of two series
 * @one, @other: medians
 * @ratio: how much better @other is, 2 for twice as good; 0 if one of the medians is 0
 * @low, @high: 95 % interval of @ratio; only with @has_interval
 */
struct numbers {
	double one, other, ratio, low, high;
	bool has_interval;
};

/** numbers_median() - median of @count values, at least one; sorts them */
double numbers_median(double *values, size_t count);

/**
 * numbers_compare() - compare @count pairs of measurements; higher or lower is better
 *
 * The interval is a percentile bootstrap: pairs are drawn with replacement, because a disturbance
 * affects both values of a pair; then it is widened by about sqrt(n / (n - 1)). The seed is fixed:
 * equal values give an equal interval.
 */
void numbers_compare(struct numbers *out, const double *one, const double *other, size_t count,
		     bool is_more_better);
