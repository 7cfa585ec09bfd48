/* SPDX-License-Identifier: MIT */
/* Content of a bundle, and its anonymous copy. */
#pragma once

#include <jansson.h>

#include "base/libc.h"
#include "out/text.h"
#include "smc_chk/bundle/workdir.h"
#include "smc_chk/smc_chk.h"

/*
 * ---- pseudonyms for names and addresses. Pure ----
 *
 * With one key, equal names or addresses get equal pseudonyms everywhere, different ones different
 * ones. The length stays. Addresses with a common prefix of bits keep one of the same length, so
 * subnets stay subnets; likewise for the first characters of names. Without the key they cannot be
 * reversed.
 */

#define SIPHASH_KEY 16

/** siphash() - keyed hash, unpredictable without the key, the same on every machine */
uint64_t siphash(const uint8_t key[SIPHASH_KEY], const void *data, size_t len);

/** struct pseudonyms - @host: name that is replaced wherever it is a word */
struct pseudonyms {
	uint8_t key[SIPHASH_KEY];
	char host[256];
};

/**
 * pseudonym_name() - replace a host name, EID or PNET ID @len: size; a NUL ends it earlier
 *
 * Each letter becomes another letter of the same case, each digit another digit; other characters
 * stay. Names that differ only in case keep differing only in case.
 */
void pseudonym_name(const struct pseudonyms *all, char *name, size_t len);

/** pseudonym_ipv4() - replace, except 0.0.0.0/8, 127.0.0.0/8, and 224.0.0.0 and above */
void pseudonym_ipv4(const struct pseudonyms *all, uint8_t addr[4]);

/**
 * pseudonym_ipv6() - replace, except ::, ::1, multicast, and the first byte of others
 *
 * In link-local addresses only the last eight bytes change; mapped ones: see pseudonym_ipv4().
 */
void pseudonym_ipv6(const struct pseudonyms *all, uint8_t addr[16]);

/** pseudonym_mac() - replace, except zero and broadcast; keeps the local and multicast bits */
void pseudonym_mac(const struct pseudonyms *all, uint8_t mac[6]);

/** pseudonym_number() - replace an SMC-D GID; @number: 64 bits, unaligned; zero stays */
void pseudonym_number(const struct pseudonyms *all, void *number);

/** pseudonym_text() - append a text with all addresses and the host name replaced */
void pseudonym_text(const struct pseudonyms *all, struct out_text *text, const char *from,
		    size_t len);

/* ---- the content ---- */

/** struct collection - a bundle in the making; @work: directory; @index: content of index.json */
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

/** collect_index() - write DIRECTORY/index.json below @b->work. Return: like collect() */
int collect_index(struct collection *b, const char *directory);

/** anonymous_key() - set the key: from @file, of at least 16 bytes; random for NULL */
int anonymous_key(struct pseudonyms *all, const char *file, struct smc_err *err);

/** anonymous_answer() - anonymize a recorded netlink answer in place. Pure; @file: its name */
void anonymous_answer(const struct pseudonyms *all, const char *file, char *data, size_t len);

/** ANONYMOUS - directory of the anonymous copy, below the collected one */
#define ANONYMOUS "anonymous"

/**
 * anonymous_make() - copy the collected files to ANONYMOUS, to be passed on
 *
 * Copies only files known to contain no names: the recorded files that the doctor needs,
 * and netlink answers about SMC. Tool output is left out, as "smc_chk from" can print it again.
 *
 * Return: 0, -errno with @b->err.
 */
int anonymous_make(struct collection *b, const struct pseudonyms *all);
