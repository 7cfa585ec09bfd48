// SPDX-License-Identifier: MIT
/* libarchive, loaded when it is needed. */
#include "smc_chk/bundle/archive.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stddef.h>

/*
 * Loaded when it is needed, not linked: with the twelve libraries that libarchive needs, libxml2
 * and ICU among them, each start of smc_chk would take 6.2 million instructions instead of 0.8, at
 * least 2 ms more, and its installation 40 MB more. The build takes ARCHIVE_SONAME from the linker.
 * Since a scan for dependencies does not see dlopen(), the note tells packagers: see "ELF dlopen
 * metadata" of the UAPI Group.
 */
#define DLOPEN_JSON                                                                      \
	"[{\"soname\":[\"" ARCHIVE_SONAME "\"],\"feature\":\"bundle\","                \
	"\"description\":\"Bundles for support: --bundle and --from\","                       \
	"\"priority\":\"recommended\"}]"
#define DLOPEN_NOTE_TYPE 0x407c0c0a
#define DLOPEN_NOTE_OWNER "FDO"

static const struct {
	Elf32_Nhdr header;
	char owner[sizeof(DLOPEN_NOTE_OWNER)];
	_Alignas(4) char json[sizeof(DLOPEN_JSON)];
} dlopen_note __attribute__((used, aligned(4), section(".note.dlopen"))) = {
	{ sizeof(DLOPEN_NOTE_OWNER), sizeof(DLOPEN_JSON), DLOPEN_NOTE_TYPE },
	DLOPEN_NOTE_OWNER,
	DLOPEN_JSON,
};

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
		return smc_err_say(err, ENOSYS, "bundles need %s: install libarchive13 (Debian, "
				   "Ubuntu) or libarchive (RPM)", ARCHIVE_SONAME);
	return 0;
}
