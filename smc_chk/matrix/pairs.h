/* SPDX-License-Identifier: MIT */
/* Each two of the hosts, and what all ways to show them have in common. */
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

static inline const struct predict_host *matrix_host(const struct matrix *matrix, size_t i)
{
	return &matrix->all->hosts[matrix->good[i]];
}

/** typedef pair_fn - a pair: @a to @b as client, and back. Return: 0, -errno with @err */
typedef int (*pair_fn)(void *arg, size_t a, size_t b, const struct prediction *forth,
		       const struct prediction *back, struct smc_err *err);

/** matrix_each_pair() - predict for each two. Return: 0, or what @fn returned */
int matrix_each_pair(const struct matrix *matrix, pair_fn fn, void *arg, struct smc_err *err);

#define MATRIX_MODE_SIZE 16

/** matrix_mode() - "SMC-R v2.1" */
void matrix_mode(char mode[MATRIX_MODE_SIZE], const struct prediction *result);

/**
 * matrix_why() - what keeps a connection from more, in one line
 * @why: holds it
 * @client, @server: their names, or words for them
 */
const char *matrix_why(struct out_text *why, const struct prediction *result, const char *client,
		       const char *server);
