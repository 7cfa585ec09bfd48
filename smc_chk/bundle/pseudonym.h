/* SPDX-License-Identifier: MIT */
/*
 * Other names and addresses for those that somebody would rather not tell. Pure.
 *
 * One key makes the same pseudonym of the same name or address everywhere, and different ones of
 * different ones. All are as long as before. Two addresses that have their first bits in common
 * have as many in common afterwards, so subnets stay subnets; names likewise by their first
 * characters. Without the key nothing leads back.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "out/text.h"

#define SIPHASH_KEY 16

/** siphash() - a hash that nobody without the key can foresee, the same on every machine */
uint64_t siphash(const uint8_t key[SIPHASH_KEY], const void *data, size_t len);

/** struct pseudonyms - @host: name that is replaced wherever a text has it as a word */
struct pseudonyms {
	uint8_t key[SIPHASH_KEY];
	char host[256];
};

/**
 * pseudonym_name() - of a host name, an EID, a PNET ID
 * @len: a NUL ends it earlier
 *
 * Letters become letters of the same case, digits digits, each another one than it was; all else
 * stays. Names that differ in case only have pseudonyms that do.
 */
void pseudonym_name(const struct pseudonyms *all, char *name, size_t len);

/** pseudonym_ipv4() - stay as they are: 0.0.0.0/8, 127.0.0.0/8, and from 224.0.0.0 on */
void pseudonym_ipv4(const struct pseudonyms *all, uint8_t addr[4]);

/**
 * pseudonym_ipv6() - stay as they are: ::, ::1, multicast, the first byte of others
 *
 * Of link-local addresses the last eight bytes change; of mapped ones as in pseudonym_ipv4().
 */
void pseudonym_ipv6(const struct pseudonyms *all, uint8_t addr[16]);

/** pseudonym_mac() - whether it is local or multicast stays; none and broadcast do as a whole */
void pseudonym_mac(const struct pseudonyms *all, uint8_t mac[6]);

/** pseudonym_number() - of an SMC-D GID, @number: 64 bits anywhere; zero stays */
void pseudonym_number(const struct pseudonyms *all, void *number);

/** pseudonym_text() - append a text with all addresses, and the host's name, replaced */
void pseudonym_text(const struct pseudonyms *all, struct out_text *text, const char *from,
		    size_t len);
