/* SPDX-License-Identifier: MIT */
/* Symbols of the libraries that come after this one in the search order. */
#pragma once

/**
 * shim_symbol() - find a function like dlsym(3) with RTLD_NEXT, even in an older glibc
 *
 * Before glibc 2.34, this loads libdl.
 * Return: NULL if no library has it.
 */
__attribute__((visibility("hidden"))) void *shim_symbol(const char *name);
