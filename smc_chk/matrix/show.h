/* SPDX-License-Identifier: MIT */
/* A matrix as a table, a summary, JSON, or for graphviz. */
#pragma once

#include "smc_chk/matrix/gather.h"

/**
 * show_matrix() - each pair to stdout, as @req says; of many hosts, as text, how many are of which
 *	kind, and what to type where
 *
 * Return: CHK_OK; CHK_TCP if a connection would be TCP; -errno with @err.
 */
int show_matrix(const struct gathered *all, const struct chk_request *req, struct smc_err *err);
