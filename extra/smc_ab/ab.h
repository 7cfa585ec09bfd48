/* SPDX-License-Identifier: MIT */
/* Run a command over TCP and over SMC, alternately. */
#pragma once

#include "smc_ab/result.h"

/* Exit statuses besides 125, which stands for failures of smc_ab itself. */
#define AB_FAILED 1   /* a run failed, or there was nothing to measure */
#define AB_NOT_USED 2 /* SMC was not used in every run that should have used it */
#define AB_DIFFERS 3  /* --verify: the recorded run has another verdict */

/**
 * ab_run() - run the comparison, and print the result
 * @argv: the command and its arguments
 *
 * Return: 0, AB_FAILED, AB_NOT_USED, AB_DIFFERS, or the tool's error status; after a message.
 */
int ab_run(const struct ab_options *options, char *const *argv);
