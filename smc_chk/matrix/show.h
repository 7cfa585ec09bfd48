/* SPDX-License-Identifier: MIT */
/* A matrix as a table, JSON, or for graphviz. */
#pragma once

#include "smc_chk/matrix/gather.h"

/**
 * struct matrix - what was predicted
 * @all: the hosts
 * @good: indexes of those that could be read, @count of them
 */
struct matrix {
	const struct gathered *all;
	size_t *good;
	size_t count;
};

/**
 * show_text(), show_json(), show_dot() - all of it to stdout
 * @tcp: receives how many of the connections would be TCP
 *
 * Return: 0, -errno with @err.
 */
int show_text(const struct matrix *matrix, size_t *tcp, struct smc_err *err);
int show_json(const struct matrix *matrix, size_t *tcp, struct smc_err *err);
int show_dot(const struct matrix *matrix, size_t *tcp, struct smc_err *err);
