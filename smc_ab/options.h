/* SPDX-License-Identifier: MIT */
/* How smc_ab was asked to compare. */
#pragma once

#include <stdbool.h>

#include "launch/launch.h"

#define AB_PAIRS 1000 /* the most that --pairs takes */

/* Exit statuses besides 125 where it fails itself. */
#define AB_FAILED 1   /* a run failed, or there was nothing to measure */
#define AB_NOT_USED 2 /* SMC was not used in every run that should have used it */

/**
 * struct ab_options - how to compare
 * @launch: how to start what runs over SMC
 * @pairs: of runs that count, 1 to AB_PAIRS
 * @metric: finds the number that the command prints, a POSIX extended regular expression; NULL: the
 *	time counts
 * @is_lower_better: of @metric
 * @server: command line of a server for each run, NULL for none
 * @is_shown: show what command and server print, on standard error
 * @is_json: print one JSON document
 */
struct ab_options {
	struct launch launch;
	int pairs;
	const char *metric, *server;
	bool is_lower_better, is_shown, is_json;
};
