// SPDX-License-Identifier: MIT
/* ld_pre_smc.so in LD_PRELOAD. */
#include "smc_run/preload.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

int preload_find(const struct target *target, struct library *lib, struct smc_err *err)
{
	if (library_find(target, lib))
		return smc_err_say(err, ENOENT, "cannot find %s, neither beside smc_run nor in %s",
				   LIBRARY_NAME, SMC_LIBDIR);
	if (lib->entry[strcspn(lib->entry, ": \t\n")])
		return smc_err_say(err, EINVAL, PRELOAD " cannot hold '%s': it has a blank or a "
				   "colon", lib->entry);
	return 0;
}

bool preload_is_ours(const char *entry)
{
	static const char *const names[] = { LIBRARY_NAME, LIBRARY_NAME ".1", "libsmc-preload.so" };
	const char *base = strrchr(entry, '/');
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(base ? base + 1 : entry, names[i]))
			return true;
	return false;
}
