// SPDX-License-Identifier: MIT
/* Sizes of memory in words. */
#include "smc_chk/doctor/size.h"

#include <stdio.h>

void size_text(char *text, size_t size, unsigned long long bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	size_t unit = 0;

	while (unit < 3 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, "%llu %s", bytes, units[unit]);
}
