/* SPDX-License-Identifier: MIT */
/* Content of a bundle, and its anonymous copy. */
#pragma once

#include <jansson.h>

#include "smc_chk/bundle/pseudonym.h"
#include "smc_chk/bundle/workdir.h"
#include "smc_chk/smc_chk.h"

/**
 * struct collection - a bundle in the making
 * @work: its directory
 * @index: content of index.json, an object
 */
struct collection {
	const struct chk_request *req;
	struct workdir work;
	json_t *index;
	struct smc_err *err;
};

/** system_put() - append the facts about the system around SMC */
void system_put(struct out_text *text);

/** collect() - run the commands, and write all files of a bundle. Return: 0, -errno with @b->err */
int collect(struct collection *b);

/** collect_index() - write DIRECTORY/index.json below @b->work. Return: as collect() */
int collect_index(struct collection *b, const char *directory);

/**
 * anonymous_key() - set the key for pseudonyms
 * @file: derive it from this file, of at least 16 bytes; NULL for a random key
 */
int anonymous_key(struct pseudonyms *all, const char *file, struct smc_err *err);

/**
 * anonymous_answer() - anonymize a recorded netlink answer in place. Pure
 * @file: its name in record/netlink
 */
void anonymous_answer(const struct pseudonyms *all, const char *file, char *data, size_t len);

/** ANONYMOUS - directory of the anonymous copy, below the collected one */
#define ANONYMOUS "anonymous"

/**
 * anonymous_make() - copy the collected files to ANONYMOUS, to be passed on
 *
 * Copies only files known to contain no names: the recorded files that the doctor and matrix need,
 * and netlink answers about SMC. Tool output is left out, as "smc_chk from" can print it again.
 *
 * Return: 0, -errno with @b->err.
 */
int anonymous_make(struct collection *b, const struct pseudonyms *all);
