// SPDX-License-Identifier: MIT
/* Repairs, by row of ld_pre_smc/repairs. */
#include "ld_pre_smc/state/repair.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/utsname.h>

#include "ld_pre_smc/state/log.h"

const char *const shim_repair_names[REPAIRS] = {
#define REPAIR(id, name, end) name,
#include "repairs.h"
#undef REPAIR
};

_Static_assert(REPAIRS <= 64, "a bit for each");

int shim_release(void)
{
	static atomic_int known;
	int parts[2] = { 0 }, n = 0;
	struct utsname host;
	const char *c;
	AUTO_ERRNO();

	if (!known && !shim_in_sandbox && !uname(&host)) {
		for (c = host.release; n < 2 && (*c == '.' || (*c >= '0' && *c <= '9')); c++)
			if (*c == '.')
				n++;
			else
				parts[n] = parts[n] * 10 + *c - '0';
		known = SHIM_RELEASE(parts[0], parts[1]);
	}
	return known;
}

bool shim_repairs_find(const char *list, unsigned long long *bits)
{
	size_t len;
	int i;

	for (list += strspn(list, ", "); *list; list += len + strspn(list + len, ", ")) {
		len = strcspn(list, ", ");
		for (i = 0; i < REPAIRS; i++)
			if (strlen(shim_repair_names[i]) == len &&
			    !memcmp(shim_repair_names[i], list, len))
				break;
		if (i == REPAIRS)
			return false;
		*bits |= 1ULL << i;
	}
	return true;
}

bool shim_mends(int fd, enum shim_repair repair)
{
	bool needs = shim_needs(repair);

	if (needs)
		shim_log_fd(fd, shim_repair_names[repair], NULL, 0);
	return needs;
}
