/* SPDX-License-Identifier: MIT */
/* Output of a command, and the number in it. */
#pragma once

#include <regex.h>

#include "base/err.h"
#include "out/text.h"

/** output_read() - read all data available in a pipe, without waiting. Return: false at its end */
bool output_read(struct out_text *output, int fd);

/** output_add() - append text, NUL-terminated; drops the oldest part after megabytes */
void output_add(struct out_text *output, const char *text, size_t len);

/** metric_compile() - compile an extended expression for lines. Return: 0; -EINVAL with @err */
int metric_compile(regex_t *regex, const char *text, struct smc_err *err);

/**
 * metric_find() - find the number in a text
 * @regex: its first group is the number, or without a group, the whole match
 *
 * The last match counts: programs print totals at the end. Text after the number is ignored.
 * Return: 0; -ENOENT without a match, -EINVAL if it is not a number; with a sentence.
 */
int metric_find(const regex_t *regex, const struct out_text *output, double *value,
		struct smc_err *err);
