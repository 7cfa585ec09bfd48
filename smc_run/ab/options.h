/* SPDX-License-Identifier: MIT */
/* How smc_run --ab was asked to compare. */
#pragma once

#include <stdbool.h>

#define AB_PAIRS 1000 /* the most that --ab takes */

/* What smc_run --ab exits with, besides 125 where it fails itself. */
#define AB_FAILED 1   /* a run failed, or there was nothing to measure */
#define AB_NOT_USED 2 /* SMC was not used in every run that should have used it */

/**
 * struct ab_options - how to compare
 * @pairs: of runs that count, 1 to AB_PAIRS; 0: no comparison was asked for
 * @metric: finds the number that the command prints, a POSIX extended regular expression; NULL: the
 *	time counts
 * @is_lower_better: of @metric
 * @server: command line of a server for each run, NULL for none
 * @is_shown: show what command and server print, on standard error
 * @all: the whole command line of smc_run
 */
struct ab_options {
	int pairs;
	const char *metric, *server;
	bool is_lower_better, is_shown;
	char **all;
};
