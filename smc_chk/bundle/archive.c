// SPDX-License-Identifier: MIT
/* libarchive, loaded when it is needed. */
#include "smc_chk/bundle/archive.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include "base/dlnote.h"

/*
 * Loaded when it is needed, not linked: with the twelve libraries that libarchive needs, libxml2
 * and ICU among them, each start of smc_chk would take 6.2 million instructions instead of 0.8, at
 * least 2 ms more, and its installation 40 MB more. The build takes ARCHIVE_SONAME from the linker.
 */
DLNOTE(ARCHIVE_SONAME, "bundle", "Bundles for support: --bundle and --from", "recommended");

int archive_load(struct archive_library *lib, struct smc_err *err)
{
	void *handle = dlopen(ARCHIVE_SONAME, RTLD_NOW | RTLD_LOCAL);
	size_t missing = !handle;

	if (handle) {
#define LOOK_UP(name) missing += !(*(void **)&lib->name = dlsym(handle, #name));
		ARCHIVE_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
	}
	if (missing)
		return smc_err_say(err, ENOSYS,
				   "bundles need %s: install libarchive13 (Debian, "
				   "Ubuntu) or libarchive (RPM)",
				   ARCHIVE_SONAME);
	return 0;
}
