// SPDX-License-Identifier: MIT
/* Medians of two series of measurements, and the confidence interval of their ratio. */
#include "base/numbers.h"

#include "base/memory.h"

#define DRAWS 4000
#define OUTSIDE 40 /* one in 40 ratios is below the interval, one above: 95 % are inside */
#define SEED 0x9e3779b97f4a7c15

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double numbers_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static double ratio_of(double one, double other, bool is_more_better)
{
	if (!(one > 0 && other > 0))
		return 0;
	return is_more_better ? other / one : one / other;
}

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
	uint64_t x = *state += SEED;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* @room: scratch space for two series. */
static double draw_ratio(uint64_t *state, double *room, const double *one, const double *other,
			 size_t count, bool is_more_better)
{
	for (size_t i = 0; i < count; i++) {
		size_t pair = draw(state) % count;

		room[i] = one[pair];
		room[count + i] = other[pair];
	}
	return ratio_of(numbers_median(room, count), numbers_median(room + count, count),
			is_more_better);
}

/* Bootstrap samples of n scatter like n - 1 measurements, so widen the interval. */
static void find_interval(struct numbers *out, double *ratios, double *room, const double *one,
			  const double *other, size_t count, bool is_more_better)
{
	const double wider = 1 + 0.5 / (double)(count - 1);
	uint64_t state = SEED;

	for (size_t i = 0; i < DRAWS; i++)
		ratios[i] = draw_ratio(&state, room, one, other, count, is_more_better);
	qsort(ratios, DRAWS, sizeof(*ratios), compare);
	out->low = out->ratio - wider * (out->ratio - ratios[DRAWS / OUTSIDE - 1]);
	out->high = out->ratio + wider * (ratios[DRAWS - DRAWS / OUTSIDE] - out->ratio);
	out->low = out->low > 0 ? out->low : 0;
	out->has_interval = ratios[0] > 0;
}

void numbers_compare(struct numbers *out, const double *one, const double *other, size_t count,
		     bool is_more_better)
{
	double *room AUTO_FREE = xcalloc(2 * count + DRAWS, sizeof(*room));

	*out = (struct numbers){ 0 };
	for (size_t i = 0; i < count; i++) {
		room[i] = one[i];
		room[count + i] = other[i];
	}
	out->one = numbers_median(room, count);
	out->other = numbers_median(room + count, count);
	out->ratio = ratio_of(out->one, out->other, is_more_better);
	if (count >= NUMBERS_PAIRS && out->ratio > 0)
		find_interval(out, room + 2 * count, room, one, other, count, is_more_better);
}
