/* SPDX-License-Identifier: MIT */
/* Where ld_pre_smc.so and what else is installed with it are, how LD_PRELOAD comes to name it. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "process/target.h"

#define LIBRARY_NAME "ld_pre_smc.so"
#define PRELOAD "LD_PRELOAD"

/**
 * self_find() - is there a file in the directory of this executable?
 * @name: relative to that directory: "smc_bpf", "32/ld_pre_smc.so"
 * @mode: what must be allowed, R_OK or X_OK of access(2)
 */
bool self_find(const char *name, int mode, char path[PATH_MAX]);

/**
 * struct library - the preload library for one target
 * @file: its path, for looking at it
 * @entry: what LD_PRELOAD gets: the same, or a form that serves 32-bit and 64-bit programs alike
 * @other: the library for the other ones that @entry serves, empty for none
 * @secure_too: reaches programs with raised privileges, because an administrator made the
 *	installed library set-uid, which ld.so demands for that (ld.so(8))
 */
struct library {
	char file[PATH_MAX];
	char entry[PATH_MAX];
	char other[PATH_MAX];
	bool secure_too;
};

/**
 * library_find() - the library for a program, whose class chooses the 64-bit or the 32-bit one
 *
 * A library beside this executable (the build directory) or in the same staged install comes first,
 * then the installed one. Return: 0, or -ENOENT.
 */
int library_find(const struct target *target, struct library *out);

/** preload_find() - the same, if LD_PRELOAD can hold its entry. Return: -errno with a sentence */
int preload_find(const struct target *target, struct library *lib, struct smc_err *err);

#define LIBRARY_WHY_SIZE 128

/**
 * library_misses() - why the library does not reach a program
 * @lib: from library_find(), NULL if there is none
 * @why: receives a clause: "the program is static, nothing can be preloaded"
 *
 * ld.so has to take the library in, and the program to use libc's socket().
 *
 * Return: true with a reason; false when it is reached, or nothing is known of the program.
 */
bool library_misses(const struct library *lib, const struct target *target,
		    char why[LIBRARY_WHY_SIZE]);

/** library_preload() - add an entry to LD_PRELOAD, after what is there, and never twice */
int library_preload(const char *entry);
