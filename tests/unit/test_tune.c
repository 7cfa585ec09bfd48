// SPDX-License-Identifier: MIT
/* smc_chk/tune: choosing a size, from measurements with a known difference. */
#include "said.h"

#include "smc_chk/live/sweep.h"

/* Values of a round: @base for each size, plus up to @noise percent. */
static struct tune measured(const double *base, int count, int noise)
{
	struct tune tune = { .count = count };
	uint32_t state = 1;

	for (int i = 0; i < count; i++) {
		tune.sizes[i].asked = i ? 32768 << i : 0;
		for (int round = 0; round < TUNE_ROUNDS; round++) {
			state = state * 1664525 + 1013904223;
			tune.sizes[i].values[round] =
				base[i] * (100 + (double)(state >> 16) / 65536 * noise) / 100;
		}
	}
	tune_judge(&tune);
	return tune;
}

/* The smallest of nearly equal sizes; never more than the best. */
TEST(grows_and_stays)
{
	const double base[] = { 10, 10, 20, 40, 80, 80, 80, 80 };
	struct tune tune = measured(base, ARRAY_SIZE(base), 3);

	assert_int_equal(tune.enough, 4);
	assert_true(tune.best >= 4);
	assert_true(tune.sizes[0].behind.low > 7);
}

TEST(noise_only)
{
	const double base[] = { 10, 10, 10, 10, 10, 10, 10, 10 };
	struct tune tune = measured(base, ARRAY_SIZE(base), 300);

	assert_int_equal(tune.enough, 0);
	assert_true(tune.best > 0); /* it looks better, but without proof */
}

TEST(smallest_is_best)
{
	const double base[] = { 80, 40, 40, 40 };
	struct tune tune = measured(base, ARRAY_SIZE(base), 3);

	assert_int_equal(tune.best, 0);
	assert_int_equal(tune.enough, 0);
}

/* Slightly worse, but in each round. */
TEST(nearly_but_worse)
{
	const double base[] = { 10, 95, 100 };
	struct tune tune = measured(base, ARRAY_SIZE(base), 1);

	assert_int_equal(tune.enough, 2);
}

TEST(texts)
{
	const double base[] = { 1e6, 2e6, 4e6 };
	const struct chk_request req = { .shape = CHK_SHAPE_RPC, .rpc_bytes = 100 };
	struct tune tune = measured(base, ARRAY_SIZE(base), 1);
	struct chk_request narrow;
	struct out_text text = { 0 };

	tune.req = &req;
	tune.limit = 131072;
	tune.sizes[2].receive = 131040;
	tune_text(&text, &tune);
	out_mem(&text, "", 1);
	assert_non_null(strstr(text.data, "Shape rpc:100, "));
	assert_non_null(strstr(text.data, "   128 KiB         -   127 KiB         - "));
	assert_non_null(strstr(text.data, "  smc_run -r 128K -t 128K COMMAND\n"));
	assert_non_null(strstr(text.data, "  net.smc.rmem = 131072\n  net.smc.wmem = 131072\n"));
	assert_non_null(strstr(text.data, "wmem_max end at 131072."));
	assert_non_null(strstr(text.data, "The server keeps its usual buffers: "));
	assert_null(strstr(text.data, "within the noise"));
	out_reset(&text);
	narrow = req;
	narrow.width = 50;
	tune.req = &narrow;
	tune_text(&text, &tune);
	assert_non_null(strstr(said(&text), "\nasked for         1/s       least\n"));
}

/* TCP wins with the largest messages; 1 KiB is too noisy for a verdict. */
TEST(sweep)
{
	const struct chk_request req = { .object = "host" };
	struct sweep sweep = { .req = &req };
	struct out_text text = { 0 };

	sweep_points(&sweep);
	for (int i = 0; i < SWEEP_POINTS; i++)
		for (int round = 0; round < TUNE_ROUNDS; round++) {
			struct sweep_point *point = &sweep.points[i];

			point->tcp[round] = 1000 + round;
			point->smc[round] = point->bytes == 64	  ? 2000 + round :
					    point->bytes >= 65536 ? 500 + round :
								    600 * (1 + (round & 1));
		}
	sweep_judge(&sweep);
	sweep_text(&text, &sweep);
	assert_non_null(strstr(text.data, "\n    64 B      16      2004      1004    2.00  "));
	assert_non_null(strstr(text.data, "  SMC\n   1 KiB       1       600      1004    0.60 "));
	assert_non_null(strstr(text.data, "  <- TCP\nSMC is faster in 3 rows, TCP in 3, neither "
					  "measurably in 6.\n"));
	out_free(&text);
}
