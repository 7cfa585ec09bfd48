/* SPDX-License-Identifier: MIT */
/* The result of a comparison, for people and as JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/numbers.h"
#include "out/text.h"
#include "smc_ab/options.h"
#include "smc_ab/witness.h"

/** struct ab_run - one run; @metric only where one was asked for */
struct ab_run {
	double seconds, cpu_seconds, switches, metric;
	struct sightings seen;
};

/** struct ab_pair - @is_smc_first: in which order they were */
struct ab_pair {
	struct ab_run tcp, smc;
	bool is_smc_first;
};

enum ab_verdict {
	AB_SMC_BETTER,
	AB_TCP_BETTER,
	AB_NO_DIFFERENCE, /* the interval includes 1 */
	AB_TOO_FEW,	  /* pairs for an interval, or a value of 0 */
	AB_SMC_NOT_USED,
};

/**
 * struct ab_result - all of it
 * @pairs: that count, @count of them
 * @trusts_counters: may the kernel's statistics show that a run used SMC?
 * @used: runs that did
 * @judged: that of the time, or of the metric
 */
struct ab_result {
	const struct ab_options *options;
	char *const *argv;
	const struct ab_pair *pairs;
	size_t count, used;
	bool trusts_counters;
	struct numbers seconds, cpu_seconds, switches, metric;
	const struct numbers *judged;
	enum ab_verdict verdict;
};

/** result_judge() - fill in all below @pairs and @count */
void result_judge(struct ab_result *result);

void result_text(struct out_text *text, const struct ab_result *result);

void result_json(struct out_text *text, const struct ab_result *result);
