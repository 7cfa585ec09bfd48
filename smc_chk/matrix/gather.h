/* SPDX-License-Identifier: MIT */
/* Collect the hosts of a matrix, by ssh or from bundles. */
#pragma once

#include "smc_chk/matrix/predict.h"
#include "smc_chk/smc_chk.h"

/**
 * struct gathered - all requested hosts
 * @names: as typed, NULL-terminated
 * @hosts: one per name, valid if @errors has code 0; @good: the valid ones
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
 *	must log in without a prompt
 *
 * Each bundle is unpacked and read by separate processes, without rights and with limited time and
 * memory. An unreadable bundle has its error and does not affect others.
 *
 * Return: 0; -errno with @err: nothing could be done, or a signal ended it.
 */
int gather(struct gathered *all, char *const *names, struct smc_err *err);

void gather_free(struct gathered *all);
