/* SPDX-License-Identifier: MIT */
/* The lines of a file of settings, word by word. Pure. */
#pragma once

#include "settings/conf.h"

/**
 * struct conf_line - a line that is being read
 * @section: that it belongs to; "netns" changes it
 * @bad: receives the index of the word that is wrong; @count for one that is missing
 * @err: receives what was expected, without file, line and word
 */
struct conf_line {
	struct conf *conf;
	size_t section;
	struct conf_place place;
	char **words;
	size_t count, bad;
	struct smc_err *err;
};

/** conf_line() - take a line that is not "include". Return: 0, -EINVAL */
int conf_line(struct conf_line *line);

/** conf_expected() - word @bad is wrong, or missing. Return: -EINVAL */
int conf_expected(struct conf_line *line, size_t bad, const char *what);
