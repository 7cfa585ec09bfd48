/* SPDX-License-Identifier: MIT */
/* Symbols of the libraries that come after this one in the search order. */
#pragma once

/**
 * shim_symbol() - find a function as dlsym(3) does with RTLD_NEXT
 *
 * The program's glibc may be older than this system's, with a loader of its own. Before 2.34,
 * dlsym() was not in libc but in libdl, which few programs load. There, the loader's list of
 * libraries is searched without its lock, so later calls must not run beside dlopen(3).
 *
 * Return: NULL if no library has it.
 */
__attribute__((visibility("hidden"))) void *shim_symbol(const char *name);
