// SPDX-License-Identifier: MIT
/* Rows of ld_pre_smc/repairs. */
#include "ld_pre_smc/state/repair_rows.h"

#include <string.h>

const char *const shim_repair_names[REPAIRS] = {
#define REPAIR(id, name, end) name,
#include "repairs.h"
#undef REPAIR
};

_Static_assert(REPAIRS <= 64, "a bit for each");

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
