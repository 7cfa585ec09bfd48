/* SPDX-License-Identifier: MIT */
/* Bundles for strangers: what was recorded, without names and addresses. */
#pragma once

#include "smc_chk/bundle/collect.h"
#include "smc_chk/bundle/pseudonym.h"

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
