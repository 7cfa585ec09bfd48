/* SPDX-License-Identifier: MIT */
/* Files beside this executable. */
#pragma once

#include "base/libc.h"

/** self_directory() - its directory, with a trailing slash. Return: length, 0 if not known */
size_t self_directory(char path[PATH_MAX]);

/**
 * self_has() - append @name to the first @len bytes of @path
 * @mode: required access, R_OK or X_OK of access(2)
 *
 * Return: true if there is such a file.
 */
bool self_has(char path[PATH_MAX], size_t len, const char *name, int mode);

/** self_find() - self_has() in the directory of this executable: "smc_bpf", "32/ld_pre_smc.so" */
bool self_find(const char *name, int mode, char path[PATH_MAX]);
