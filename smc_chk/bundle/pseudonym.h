/* SPDX-License-Identifier: MIT */
/*
 * Pseudonyms for names and addresses. Pure.
 *
 * With one key, equal names or addresses get equal pseudonyms everywhere, different ones different
 * ones. The length stays. Addresses with a common prefix of bits keep one of the same length, so
 * subnets stay subnets; likewise for the first characters of names. Without the key they cannot be
 * reversed.
 */
#pragma once

#include "base/libc.h"
#include "out/text.h"

#define SIPHASH_KEY 16

/** siphash() - keyed hash, unpredictable without the key, the same on every machine */
uint64_t siphash(const uint8_t key[SIPHASH_KEY], const void *data, size_t len);

/** struct pseudonyms - @host: name that is replaced wherever it is a word */
struct pseudonyms {
	uint8_t key[SIPHASH_KEY];
	char host[256];
};

/**
 * pseudonym_name() - replace a host name, EID or PNET ID
 * @len: size; a NUL ends it earlier
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
 * Link-local addresses: only the last eight bytes change; mapped ones: as in pseudonym_ipv4().
 */
void pseudonym_ipv6(const struct pseudonyms *all, uint8_t addr[16]);

/** pseudonym_mac() - replace, except zero and broadcast; keeps the local and multicast bits */
void pseudonym_mac(const struct pseudonyms *all, uint8_t mac[6]);

/** pseudonym_number() - replace an SMC-D GID; @number: 64 bits, unaligned; zero stays */
void pseudonym_number(const struct pseudonyms *all, void *number);

/** pseudonym_text() - append a text with all addresses and the host name replaced */
void pseudonym_text(const struct pseudonyms *all, struct out_text *text, const char *from,
		    size_t len);
