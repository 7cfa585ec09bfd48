// SPDX-License-Identifier: MIT
/* Environment variables of the preload library, and their values. */
#include "launch/variables.h"

const char *const smc_variables[VARIABLES] = {
	[VAR_FAMILY] = "SMC_SOCK_FAMILY",
	[VAR_RCVBUF] = "SMC_RCVBUF",
	[VAR_SNDBUF] = "SMC_SNDBUF",
	[VAR_INCLUDE] = "SMC_INCLUDE",
	[VAR_EXCLUDE] = "SMC_EXCLUDE",
	[VAR_STRICT] = "SMC_STRICT",
	[VAR_RAW] = "SMC_RAW",
	[VAR_DEBUG] = "SMC_DEBUG",
	[VAR_REPAIRS] = "SMC_NO_REPAIRS",
	[VAR_LEARN] = "SMC_LEARN",
	[VAR_SPIN] = "SMC_SPIN",
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

static int unit_factor(char letter)
{
	switch (letter) {
	case 'k':
	case 'K': return 1024;
	case 'm':
	case 'M': return 1024 * 1024;
	default: return 0;
	}
}

/* @stop: permitted terminator, at which *@end then points. */
static int read_size(const char *s, char stop, const char **end, int *bytes)
{
	const char *digit = s;
	long long value = 0;
	int factor = 1;

	for (; *digit >= '0' && *digit <= '9'; digit++) {
		if (value <= INT_MAX)
			value = value * 10 + (*digit - '0');
	}
	*end = digit;
	if (*digit && *digit != stop)
		factor = unit_factor(*(*end)++);
	if (digit == s || !factor || (**end && **end != stop))
		return -EINVAL;
	if (value > INT_MAX / factor)
		return -ERANGE;
	*bytes = (int)value * factor;
	return 0;
}

int smc_parse_size(const char *s, int *bytes)
{
	return read_size(s, '\0', &s, bytes);
}

int smc_parse_spin(const char *s)
{
	int usec, sign = strncmp(s, "max:", 4) ? 1 : -1;

	return smc_parse_size(sign < 0 ? s + 4 : s, &usec) || usec > SMC_SPIN_MAX ? 0 : sign * usec;
}

int smc_parse_buffer(const char *s, struct smc_buffer *buffer)
{
	struct smc_buffer read = { .below = INT_MAX };
	int err = read_size(s, ':', &s, &read.bytes);

	if (!err && *s)
		err = read_size(s + 1, '\0', &s, &read.below);
	if (!err)
		*buffer = read;
	return err;
}
