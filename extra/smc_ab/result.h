/* SPDX-License-Identifier: MIT */
/* Options and result of a comparison. */
#pragma once

#include <jansson.h>

#include "base/numbers.h"
#include "launch/launch.h"
#include "out/text.h"
#include "smc_ab/witness.h"

#define AB_PAIRS 1000 /* maximum of --pairs */

#define AB_SCHEMA "smc-tools/ab/1"

/**
 * struct ab_options - options of a comparison
 * @launch: options to start the runs over SMC; @pairs: number of counted pairs, 1 to AB_PAIRS
 * @metric: POSIX extended regular expression for a number in the output; NULL: measure time
 * @is_lower_better: for @metric; @server: command line of a server for each run, NULL for none
 * @words: command line of smc_ab without its name, NULL-terminated, for the JSON document
 * @is_shown: show the output of command and server on standard error
 * @is_json: print one JSON document
 */
struct ab_options {
	struct launch launch;
	int pairs;
	const char *metric, *server;
	char *const *words;
	bool is_lower_better, is_shown, is_json;
};

/** struct ab_run - one run; @metric only if requested */
struct ab_run {
	double seconds, cpu_seconds, switches, metric;
	struct sightings seen;
};

/** struct ab_pair - @is_smc_first: order of the two runs */
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
 * struct ab_result - result of a comparison
 * @pairs: @count counted pairs; @width: of the terminal, 0 for none
 * @trusts_counters: the kernel's statistics can be used to check that a run used SMC
 * @used: number of runs that did; @judged: comparison of the time, or of the metric
 */
struct ab_result {
	const struct ab_options *options;
	char *const *argv;
	const struct ab_pair *pairs;
	size_t count, width, used;
	bool trusts_counters;
	struct numbers seconds, cpu_seconds, switches, metric;
	const struct numbers *judged;
	enum ab_verdict verdict;
};

/** result_used_smc() - true if a run used SMC. @trusts_counters: as in struct ab_result */
bool result_used_smc(const struct sightings *seen, bool trusts_counters);

/** result_judge() - fill in all members after @width */
void result_judge(struct ab_result *result);

/** result_verdicts - words of the JSON document, by enum ab_verdict */
extern const char *const result_verdicts[];

/** result_put_ratio() - append a ratio with its interval */
void result_put_ratio(struct out_text *text, const struct numbers *numbers);

void result_text(struct out_text *text, const struct ab_result *result);

/** result_json() - the result as a document */
json_t *result_json(const struct ab_result *result);
