/* SPDX-License-Identifier: MIT */
/* A matrix as a table, JSON, or for graphviz. */
#pragma once

#include "smc_chk/matrix/pairs.h"

/* So many hosts have more pairs than anybody reads. */
#define SHOW_MANY 17

/**
 * show_text(), show_json(), show_dot() - each pair to stdout
 * @tcp: receives how many of the connections would be TCP
 *
 * Return: 0, -errno with @err.
 */
int show_text(const struct matrix *matrix, size_t *tcp, struct smc_err *err);
int show_json(const struct matrix *matrix, size_t *tcp, struct smc_err *err);
int show_dot(const struct matrix *matrix, size_t *tcp, struct smc_err *err);

/**
 * show_summary() - how many connections are of which kind, and what to type where
 *
 * As text, for many hosts. @tcp, Return: as above.
 */
int show_summary(const struct matrix *matrix, size_t *tcp, struct smc_err *err);
