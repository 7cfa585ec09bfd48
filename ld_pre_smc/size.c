// SPDX-License-Identifier: MIT
/* Buffer sizes as people write them. */
#include "ld_pre_smc/size.h"

#include <errno.h>
#include <limits.h>

/* The factor of a unit letter, 0 if it is not one. */
static int unit_factor(char letter)
{
	switch (letter) {
	case '\0':
		return 1;
	case 'k':
	case 'K':
		return 1024;
	case 'm':
	case 'M':
		return 1024 * 1024;
	default:
		return 0;
	}
}

int smc_parse_size(const char *s, int *bytes)
{
	const char *digit = s;
	long long value = 0;
	int factor;

	for (; *digit >= '0' && *digit <= '9'; digit++) {
		if (value <= INT_MAX)
			value = value * 10 + (*digit - '0');
	}
	factor = unit_factor(*digit);
	if (digit == s || !factor || (*digit && digit[1]))
		return -EINVAL;
	if (value > INT_MAX / factor)
		return -ERANGE;
	*bytes = (int)value * factor;
	return 0;
}
