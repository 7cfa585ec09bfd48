/* SPDX-License-Identifier: MIT */
/* smc_run --ab: the same command over TCP and over SMC, in turns. */
#pragma once

#include "smc_run/ab/options.h"
#include "smc_run/request.h"

/**
 * ab_run() - compare, and print what was found
 * @argv: the command and its arguments
 *
 * It needs libraries that smc_run does without: in smc_run this starts the program smc_ab with the
 * same command line, and that is where it is done.
 *
 * Return: 0, AB_FAILED, AB_NOT_USED, or the tool's error status; after a message.
 */
int ab_run(const struct request *req, const struct ab_options *ab, char **argv);
