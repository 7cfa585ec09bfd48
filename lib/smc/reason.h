/* SPDX-License-Identifier: MIT */
/* Reasons for a fallback to TCP: the reason codes of a CLC decline. */
#pragma once

#include "base/libc.h"

#define SMC_REASON_PEERDECL 0x05000000U

/** enum smc_raised - side that raises a reason; NONE: defined in Linux, but never used */
enum smc_raised {
	SMC_RAISED_NONE = 0,
	SMC_RAISED_CLIENT = 1 << 0,
	SMC_RAISED_SERVER = 1 << 1,
	SMC_RAISED_BOTH = SMC_RAISED_CLIENT | SMC_RAISED_SERVER,
};

/**
 * struct smc_reason - one reason code
 * @code: as in sock_diag, netlink statistics and the CLC DECLINE message
 * @symbol: the kernel's name without SMC_CLC_DECL_
 * @stats_name: name that "smcr stats" of smc-tools prints
 * @raised: side on which the kernel raises it, before it is sent to the peer
 * @since: first kernel, "6.6"; NULL for 5.10 and older. None has been removed so far.
 * @meaning: one clause; @check: the first thing to check, an imperative clause
 */
struct smc_reason {
	uint32_t code;
	const char *symbol, *stats_name;
	enum smc_raised raised;
	const char *since, *meaning, *check;
};

/** smc_reasons - every code of Linux 6.1 to 7.2 (net/smc/smc_clc.h), by number */
extern const struct smc_reason smc_reasons[];
extern const size_t smc_reason_count;

/** smc_reason_find() - NULL for a code unknown to Linux: other systems have more */
const struct smc_reason *smc_reason_find(uint32_t code);

/**
 * smc_reason_parse() - parse a code in any common notation, also one unknown to Linux
 * @word: hexadecimal with or without 0x; decimal, as printed by the tracepoint
 *	smc_switch_to_fallback; symbol, with or without SMC_CLC_DECL_, or the name in statistics, in
 *	any case
 *
 * Digits alone are hexadecimal if that gives a code of Linux; no decimal code looks like one.
 * Return: 0; -EINVAL if it is neither a number nor a name; -ERANGE if it is too large.
 */
int smc_reason_parse(const char *word, uint32_t *code);

/** smc_reason_family() - meaning of a code's first byte in Linux, a noun; NULL if there is none */
const char *smc_reason_family(uint32_t code);

/* ---- remedies: commands to type for a reason ---- */

/** enum smc_at - side on which to run a command, relative to the one that raised the reason */
enum smc_at {
	SMC_AT_HERE,
	SMC_AT_PEER,
	SMC_AT_BOTH,
};

/** struct smc_remedy - @command: capitals (IFACE) are placeholders; @purpose: one clause */
struct smc_remedy {
	uint32_t code;
	enum smc_at at;
	const char *command, *purpose;
};

/** smc_remedies() - the likeliest remedy for a reason, NULL for none */
const struct smc_remedy *smc_remedies(uint32_t code);

/**
 * smc_remedy_at() - side on which to run the command
 * @is_peer: as seen from the peer of the side that raised the reason, otherwise from that side
 */
enum smc_at smc_remedy_at(const struct smc_remedy *remedy, bool is_peer);

/** smc_remedy_next() - next remedy for the same reason, NULL after the last */
const struct smc_remedy *smc_remedy_next(const struct smc_remedy *remedy);
