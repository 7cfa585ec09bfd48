/* SPDX-License-Identifier: MIT */
/* Collecting what goes into a bundle. */
#ifndef SMC_CHK_COLLECT_H
#define SMC_CHK_COLLECT_H

#include <jansson.h>

#include "smc_chk/bundle/workdir.h"
#include "smc_chk/smc_chk.h"

/**
 * struct collection - what is collected
 * @work: the directory that it goes into
 * @index: what index.json will say, an object
 * @answers: of @index: how each command ended, an array
 */
struct collection {
	const struct chk_request *req;
	struct workdir work;
	json_t *index, *answers;
	struct smc_err *err;
};

/** collect() - run the commands, and write all files of a bundle. Return: 0, -errno with @b->err */
int collect(struct collection *b);

#endif
