/* SPDX-License-Identifier: MIT */
/* Find ld_pre_smc.so and other installed files, and the entry for LD_PRELOAD. */
#pragma once

#include "base/err.h"
#include "process/target.h"

#define LIBRARY_NAME "ld_pre_smc.so"
#define PRELOAD "LD_PRELOAD"

/**
 * struct library - the preload library for one target
 * @file: its path, to inspect the file
 * @entry: for LD_PRELOAD: the path, or a form that serves 32-bit and 64-bit programs alike
 * @other: the library of the other class (32 or 64 bits) that @entry also finds, empty for none
 * @secure_too: also works in programs with raised privileges, because an administrator made the
 *	installed library set-uid, which ld.so(8) requires
 */
struct library {
	char file[PATH_MAX];
	char entry[PATH_MAX];
	char other[PATH_MAX];
	bool secure_too;
};

/**
 * library_find() - the library for a program, chosen by the program's class
 *
 * Search order: the directory of this executable (the build directory), the same staged install,
 * then the installed one. Return: 0, or -ENOENT.
 */
int library_find(const struct target *target, struct library *out);

/** preload_find() - library_find(); checks that LD_PRELOAD can hold the entry. Return: 0, -errno */
int preload_find(const struct target *target, struct library *lib, struct smc_err *err);

/**
 * library_is_refused() - true if the program's own loader would end it because of the library
 *
 * Looks for versions in the C library beside that loader.
 */
bool library_is_refused(const struct target *target);

#define LIBRARY_WHY_SIZE 128

/**
 * library_misses() - reason for which the library does not reach a program
 * @lib: from library_find(), NULL if there is none
 * @why: receives a clause: "the program is static, nothing can be preloaded"
 *
 * The library reaches it if ld.so loads the library and the program uses libc's socket().
 *
 * Return: true with a reason; false if it is reached, or if nothing is known about the program.
 */
bool library_misses(const struct library *lib, const struct target *target,
		    char why[LIBRARY_WHY_SIZE]);

/** library_spin() - LD_PRELOAD's entry of ld_pre_smc_spin.so. Return: false if not installed */
bool library_spin(const struct library *lib, char entry[PATH_MAX]);

/** library_preload() - append an entry to LD_PRELOAD, unless it is already there */
int library_preload(const char *entry);
