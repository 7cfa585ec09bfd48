/* SPDX-License-Identifier: MIT */
/* The file that packets are written to. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/**
 * struct output - a file that is open
 * @is_replaced: what it has is to go, once nothing is wrong
 */
struct output {
	int fd;
	bool is_replaced;
};

/**
 * output_open() - a file of mode 0600; "-" is standard output
 * @input: descriptor of the file that is read, which it must not be; -1 for none
 *
 * Refuses a terminal. What a file has is kept until output_empty(). Return: 0, -errno with @err.
 */
int output_open(struct output *output, const char *path, int input, struct smc_err *err);

/** output_empty() - write it from its beginning. Return: 0, -errno with @err */
int output_empty(struct output *output, struct smc_err *err);

/** output_close() - -1 is allowed */
void output_close(struct output *output);
