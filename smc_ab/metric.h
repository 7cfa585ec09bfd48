/* SPDX-License-Identifier: MIT */
/* The output of a command, and the number in it. */
#pragma once

#include <regex.h>
#include <stdbool.h>

#include "base/err.h"
#include "out/text.h"

/** output_read() - what is in a pipe now, without waiting. Return: false at the end of it */
bool output_read(struct out_text *output, int fd);

/** output_add() - more text, which a NUL follows; what came first is forgotten after megabytes */
void output_add(struct out_text *output, const char *text, size_t len);

/** metric_compile() - for lines, extended. Return: 0; -EINVAL with a sentence */
int metric_compile(regex_t *regex, const char *text, struct smc_err *err);

/**
 * metric_find() - the number in a text
 * @regex: its first group is the number, or without one, all that it matches
 *
 * The last match counts: programs print sums at their end. What follows the number in the group,
 * such as a unit, is passed over.
 *
 * Return: 0; -ENOENT without a match, -EINVAL when it is not a number; with a sentence.
 */
int metric_find(const regex_t *regex, const struct out_text *output, double *value,
		struct smc_err *err);
