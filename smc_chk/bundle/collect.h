/* SPDX-License-Identifier: MIT */
/* What goes into a bundle, and the copy of it that names nobody. */
#pragma once

#include <jansson.h>

#include "smc_chk/bundle/pseudonym.h"
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

/** system_put() - append what a bundle says of the system around SMC */
void system_put(struct out_text *text);

/** collect() - run the commands, and write all files of a bundle. Return: 0, -errno with @b->err */
int collect(struct collection *b);

/** collect_index() - write DIRECTORY/index.json below @b->work. Return: as collect() */
int collect_index(struct collection *b, const char *directory);

/**
 * anonymous_key() - how names and addresses are replaced
 * @file: whose bytes decide, at least 16; NULL for a key that nobody will have again
 *
 * Return: 0, -errno with @err.
 */
int anonymous_key(struct pseudonyms *all, const char *file, struct smc_err *err);

/**
 * anonymous_answer() - a recorded answer of netlink, in place. Pure
 * @file: of record/netlink
 */
void anonymous_answer(const struct pseudonyms *all, const char *file, char *data, size_t len);

/** ANONYMOUS - what the bundle is made of, below the directory of what was collected */
#define ANONYMOUS "anonymous"

/**
 * anonymous_make() - of all that was collected make a copy to pass on, in ANONYMOUS
 *
 * Only what is known to name nobody is copied: of the record the files that the doctor and matrix
 * need, and answers of netlink about SMC. Outputs of tools are left out: from makes them again.
 *
 * Return: 0, -errno with @b->err.
 */
int anonymous_make(struct collection *b, const struct pseudonyms *all);
