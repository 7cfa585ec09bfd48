// SPDX-License-Identifier: MIT
/* ld_pre_smc.so in LD_PRELOAD. */
#include "launch/preload.h"

#include <errno.h>
#include <string.h>

int preload_find(const struct target *target, struct library *lib, struct smc_err *err)
{
	if (library_find(target, lib))
		return smc_err_say(err, ENOENT, "cannot find %s beside this program or in %s",
				   LIBRARY_NAME, SMC_LIBDIR);
	if (lib->entry[strcspn(lib->entry, ": \t\n")])
		return smc_err_say(err, EINVAL,
				   PRELOAD " cannot hold '%s': it has a blank or a "
					   "colon",
				   lib->entry);
	return 0;
}
