/* SPDX-License-Identifier: MIT */
/* Parse numbers without memory, locale and errno: safe in a signal handler. */
#pragma once

#include "base/libc.h"

/**
 * scan_number() - decimal digits, up to @max; advances @at
 *
 * Return: false, leaving both unchanged.
 */
static inline bool scan_number(const char **at, unsigned int max, unsigned int *number)
{
	const char *digit = *at;
	unsigned int value = 0;

	for (; *digit >= '0' && *digit <= '9'; digit++) {
		value = value * 10 + (unsigned int)(*digit - '0');
		if (value > max)
			return false;
	}
	if (digit == *at)
		return false;
	*at = digit;
	*number = value;
	return true;
}

/** scan_ports() - PORT or LOW-HIGH, from 1 to 65535. Return: false for anything else */
static inline bool scan_ports(const char **at, uint16_t *low, uint16_t *high)
{
	unsigned int first, last;

	if (!scan_number(at, UINT16_MAX, &first))
		return false;
	last = first;
	if (**at == '-') {
		(*at)++;
		if (!scan_number(at, UINT16_MAX, &last))
			return false;
	}
	*low = (uint16_t)first;
	*high = (uint16_t)last;
	return first && first <= last;
}
