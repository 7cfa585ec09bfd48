/* SPDX-License-Identifier: MIT */
/* Collecting what goes into a bundle. */
#pragma once

#include <jansson.h>

#include "smc_chk/bundle/workdir.h"
#include "smc_chk/smc_chk.h"

/**
 * struct collection - what is collected
 * @work: the directory that it goes into
 * @index: what index.json will say, an object
 */
struct collection {
	const struct chk_request *req;
	struct workdir work;
	json_t *index;
	struct smc_err *err;
};

/**
 * system_read() - what a bundle says of the system around SMC
 * @is_entered: in a network namespace that was asked for; devices of another one are left out
 *
 * Return: an object.
 */
json_t *system_read(bool is_entered);

/** collect() - run the commands, and write all files of a bundle. Return: 0, -errno with @b->err */
int collect(struct collection *b);
