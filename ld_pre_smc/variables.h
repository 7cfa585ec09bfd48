/* SPDX-License-Identifier: MIT */
/* The variables of the library and their values. Shared with smc_run, whose options set them. */
#pragma once

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

/**
 * smc_parse_size() - read a buffer size such as 65536, 64K or 1M
 * @s: decimal digits, optionally followed by one of k, K (times 1024), m, M (times 1048576)
 * @bytes: the size in bytes, 0 to INT_MAX: what setsockopt(2) takes for SO_SNDBUF and SO_RCVBUF;
 *	written only on success
 *
 * No locale, no sign, no blanks, no errno, no memory: safe in a signal handler.
 * The format is that of smc-tools 1.8.5, which accepted overflow and trailing garbage too.
 *
 * Return: 0; -EINVAL if @s is anything else; -ERANGE if the size does not fit an int.
 */
int smc_parse_size(const char *s, int *bytes);

#pragma GCC visibility pop
