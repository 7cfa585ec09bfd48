// SPDX-License-Identifier: MIT
/* Which kernels have which fixes of net/smc. */
#include "smc_chk/doctor/fixes.h"

#include <stdio.h>
#include <string.h>

static const unsigned int series[FIXES_SERIES][2] = { { 6, 1 }, { 6, 12 } };

/*
 * CVE, and the stable version of each series that fixed it; 0: not known to have been in it, or
 * fixed before its number was given. From the changelogs of Debian's packages linux 6.1.192-2 (16
 * November 2026) and 6.12.117-1 (12 November 2026): entries of stable updates that name net/smc and
 * a CVE.
 */
static const struct {
	const char *cve;
	unsigned int fixed[FIXES_SERIES];
} fixes[] = {
	{ "CVE-2023-53781", { 191, 0 } },   { "CVE-2024-49568", { 189, 0 } },
	{ "CVE-2024-56641", { 191, 0 } },   { "CVE-2024-56718", { 122, 7 } },
	{ "CVE-2025-38734", { 191, 0 } },   { "CVE-2025-40064", { 187, 108 } },
	{ "CVE-2025-40139", { 187, 108 } }, { "CVE-2025-40168", { 187, 108 } },
	{ "CVE-2026-46027", { 175, 0 } },   { "CVE-2026-46330", { 191, 114 } },
	{ "CVE-2026-52941", { 175, 0 } },   { "CVE-2026-53274", { 176, 0 } },
	{ "CVE-2026-74493", { 183, 0 } },   { "CVE-2026-80980", { 191, 112 } },
	{ "CVE-2026-80982", { 188, 0 } },   { "CVE-2026-80983", { 188, 0 } },
	{ "CVE-2026-90065", { 0, 110 } },   { "CVE-2026-90107", { 188, 110 } },
	{ "CVE-2026-90108", { 188, 110 } }, { "CVE-2026-99032", { 191, 0 } },
};
_Static_assert(sizeof(fixes) / sizeof(fixes[0]) <= FIXES_MAX, "room for all");

bool fixes_version(unsigned int version[3], const char *release, const char *banner)
{
	const char *debian = strstr(banner, " Debian ");

	/* "6.1.0-56-amd64" is the name of an ABI; what it was built from stands behind it. */
	if (debian &&
	    sscanf(debian, " Debian %3u.%6u.%6u", &version[0], &version[1], &version[2]) == 3)
		return true;
	return sscanf(release, "%3u.%6u.%6u", &version[0], &version[1], &version[2]) == 3 &&
	       version[2];
}

int fixes_missing(const unsigned int version[3], const char *missing[FIXES_MAX], unsigned int *last)
{
	int count = 0;
	size_t at = 0;

	while (at < FIXES_SERIES && memcmp(series[at], version, sizeof(series[at])))
		at++;
	if (at == FIXES_SERIES)
		return -1;
	*last = 0;
	for (size_t i = sizeof(fixes) / sizeof(fixes[0]); i-- > 0;) {
		unsigned int fixed = fixes[i].fixed[at];

		if (fixed > version[2])
			missing[count++] = fixes[i].cve;
		if (fixed > *last)
			*last = fixed;
	}
	return count;
}