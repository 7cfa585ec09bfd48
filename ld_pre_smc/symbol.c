// SPDX-License-Identifier: MIT
/* Symbols of the libraries that come after this one in the search order. */
#include "ld_pre_smc/symbol.h"

#include <dlfcn.h>
#include <stddef.h>

/* In <dlfcn.h> of glibc only: the caller is libc itself. */
#define RTLD_OF_LIBC ((int)0x80000000)

/*
 * dlsym() from any library, in any version: linked normally, it requires glibc 2.34. Before, it was
 * in libdl, which few programs load; libc has two functions that can load it.
 */
extern __typeof__(dlsym) any_dlsym __attribute__((weak));
extern __typeof__(dlsym) __libc_dlsym __attribute__((weak));
extern __typeof__(dlopen) __libc_dlopen_mode __attribute__((weak));

void *shim_symbol(const char *name)
{
	static __typeof__(&dlsym) found;
	void *libdl;

	__asm__(".symver any_dlsym, dlsym@");
	if (!found)
		found = any_dlsym;
	if (!found && __libc_dlopen_mode && __libc_dlsym) {
		libdl = __libc_dlopen_mode("libdl.so.2", RTLD_NOW | RTLD_OF_LIBC);
		found = libdl ? (__typeof__(found))__libc_dlsym(libdl, "dlsym") : NULL;
	}
	return found ? found(RTLD_NEXT, name) : NULL;
}
