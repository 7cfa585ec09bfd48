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

/** typedef show_fn - a pair: @a to @b as client, and back. Return: 0, -errno with @err */
typedef int (*show_fn)(void *arg, size_t a, size_t b, const struct prediction *forth,
		       const struct prediction *back, struct smc_err *err);

/** matrix_each() - predict for each pair of good hosts. Return: 0, or what @fn returned */
int matrix_each(const struct matrix *matrix, show_fn fn, void *arg, struct smc_err *err);

/**
 * show_text(), show_json(), show_dot() - all of it to stdout
 * @tcp: receives how many of the connections would be TCP
 *
 * Return: 0, -errno with @err.
 */
int show_text(const struct matrix *matrix, size_t *tcp, struct smc_err *err);
int show_json(const struct matrix *matrix, size_t *tcp, struct smc_err *err);
int show_dot(const struct matrix *matrix, size_t *tcp, struct smc_err *err);
