// SPDX-License-Identifier: MIT
/* Each two of the hosts, and what all ways to show them have in common. */
#include "smc_chk/matrix/pairs.h"

#include <stdio.h>

int matrix_each_pair(const struct matrix *matrix, pair_fn fn, void *arg, struct smc_err *err)
{
	struct prediction forth, back;
	int ret = 0;

	for (size_t i = 0; i < matrix->count; i++)
		for (size_t k = i + 1; !ret && k < matrix->count; k++) {
			const struct predict_host *a = matrix_host(matrix, i);
			const struct predict_host *b = matrix_host(matrix, k);

			predict(&forth, a, b);
			predict(&back, b, a);
			ret = fn(arg, i, k, &forth, &back, err);
		}
	return ret;
}

void matrix_mode(char mode[MATRIX_MODE_SIZE], const struct prediction *result)
{
	bool is_v2 = result->mode == PREDICT_SMCR_V2 || result->mode == PREDICT_SMCD_V2;

	snprintf(mode, MATRIX_MODE_SIZE, "%s%s", predict_mode_name(result->mode),
		 is_v2 && result->release ? ".1" : "");
}

const char *matrix_why(struct out_text *why, const struct prediction *result, const char *client,
		       const char *server)
{
	out_reset(why);
	for (size_t i = 0; i < result->n_gaps; i++) {
		const struct predict_gap *gap = &result->gaps[i];

		out_str(why, i ? "; " : "");
		if (gap->mode != result->mode && gap->mode != PREDICT_TCP)
			out_printf(why, "no %s: ", predict_mode_name(gap->mode));
		predict_gap_text(why, gap, gap->side == PREDICT_CLIENT ? client : server);
	}
	out_mem(why, "", 1);
	return why->data ? why->data : "";
}
