/* SPDX-License-Identifier: MIT */
/* Why a connection became plain TCP: the reason codes of a CLC decline. */
#ifndef SMC_REASON_H
#define SMC_REASON_H

#include <stddef.h>
#include <stdint.h>

#define SMC_REASON_PEERDECL 0x05000000U

/**
 * struct smc_reason - one reason code
 * @code: as in sock_diag, netlink statistics and the CLC DECLINE message
 * @symbol: the kernel's name without SMC_CLC_DECL_
 * @stats_name: name that "smcr stats" of smc-tools prints
 * @meaning: one clause
 * @check: the first thing to look at, an imperative clause
 */
struct smc_reason {
	uint32_t code;
	const char *symbol;
	const char *stats_name;
	const char *meaning;
	const char *check;
};

/** smc_reasons - every code that Linux 6.1 to 7.2 can show (net/smc/smc_clc.h), by number */
extern const struct smc_reason smc_reasons[];
extern const size_t smc_reason_count;

/** smc_reason_find() - NULL for a code that is not Linux's: other systems have more */
const struct smc_reason *smc_reason_find(uint32_t code);

#endif
