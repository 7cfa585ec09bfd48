/* SPDX-License-Identifier: MIT */
/* Which kernels have which fixes of net/smc: what can be proven, as of FIXES_DATE. Pure. */
#pragma once

#include <stdbool.h>

#define FIXES_DATE "16 November 2026"
#define FIXES_SERIES 2
#define FIXES_MAX 32

/**
 * fixes_version() - the stable version that a kernel was built from
 * @release: of uname(2)
 * @banner: /proc/version, in which Debian has it; "" when not known
 *
 * Return: false when neither tells, as of distributions that number by themselves.
 */
bool fixes_version(unsigned int version[3], const char *release, const char *banner);

/**
 * fixes_missing() - the CVEs that a version came too early for
 * @missing: receives them, the newest first
 * @last: receives the third number of the version that has all fixes
 *
 * A distribution may have ported fixes back. Return: how many; -1 for a series that is not known.
 */
int fixes_missing(const unsigned int version[3], const char *missing[FIXES_MAX],
		  unsigned int *last);
