/* SPDX-License-Identifier: MIT */
/* The hosts of a matrix: by ssh, or from bundles. */
#pragma once

#include "smc_chk/matrix/predict.h"
#include "smc_chk/smc_chk.h"

/**
 * struct gathered - all that were asked for
 * @names: what the caller typed, NULL-terminated
 * @hosts: for each, as far as @errors has code 0; @good: these
 */
struct gathered {
	char *const *names;
	size_t count, n_good;
	struct predict_host *hosts, **good;
	struct smc_err *errors;
};

/**
 * gather() - read all hosts, several at a time
 * @names: a bundle if it has a slash or ends with .tar.gz or .tgz; else a host for ssh, which
 *	must let us in without a question
 *
 * Each bundle is unpacked and read by processes of their own, without rights and with limited time
 * and memory. One that cannot be read has its error and disturbs no other.
 *
 * Return: 0; -errno with @err: nothing could be done, or a signal asked to end.
 */
int gather(struct gathered *all, char *const *names, struct smc_err *err);

void gather_free(struct gathered *all);
