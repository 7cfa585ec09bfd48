/* SPDX-License-Identifier: MIT */
/* The environment variables of the library. Shared with smc_run, whose options set them. */
#ifndef SMC_VARIABLES_H
#define SMC_VARIABLES_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* smc_run writes them in this order. What each does: smc_run(8). */
enum smc_variable {
	VAR_FAMILY,
	VAR_RCVBUF,
	VAR_SNDBUF,
	VAR_INCLUDE,
	VAR_EXCLUDE,
	VAR_STRICT,
	VAR_RAW,
	VAR_DEBUG,
	VARIABLES,
};

/* Their names, by enum smc_variable. */
extern const char *const smc_variables[VARIABLES];

/** smc_is_on() - the value of a switch: set, not empty and not starting with 0 */
bool smc_is_on(const char *value);

/** smc_is_family() - a value of SMC_SOCK_FAMILY: smc, inet or auto */
bool smc_is_family(const char *value);

/** smc_wants_inet() - does SMC_SOCK_FAMILY ask for IPPROTO_SMC first? False for NULL */
bool smc_wants_inet(const char *value);

#pragma GCC visibility pop

#endif
