/* SPDX-License-Identifier: MIT */
/* The same command over TCP and over SMC, in turns. */
#pragma once

#include "smc_ab/options.h"

/**
 * ab_run() - compare, and print what was found
 * @argv: the command and its arguments
 *
 * Return: 0, AB_FAILED, AB_NOT_USED, or the tool's error status; after a message.
 */
int ab_run(const struct ab_options *options, char *const *argv);
