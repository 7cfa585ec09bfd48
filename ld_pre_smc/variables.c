// SPDX-License-Identifier: MIT
/* The environment variables of the library. */
#include "ld_pre_smc/variables.h"

#include <string.h>

const char *const smc_variables[VARIABLES] = {
	[VAR_FAMILY] = "SMC_SOCK_FAMILY",
	[VAR_RCVBUF] = "SMC_RCVBUF",
	[VAR_SNDBUF] = "SMC_SNDBUF",
	[VAR_INCLUDE] = "SMC_INCLUDE",
	[VAR_EXCLUDE] = "SMC_EXCLUDE",
	[VAR_STRICT] = "SMC_STRICT",
	[VAR_RAW] = "SMC_RAW",
	[VAR_DEBUG] = "SMC_DEBUG",
};

bool smc_is_on(const char *value)
{
	return value && *value && *value != '0';
}

bool smc_wants_inet(const char *value)
{
	return value && (!strcmp(value, "inet") || !strcmp(value, "auto"));
}

bool smc_is_family(const char *value)
{
	return !strcmp(value, "smc") || smc_wants_inet(value);
}
