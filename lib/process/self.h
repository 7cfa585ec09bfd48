/* SPDX-License-Identifier: MIT */
/* Files beside this executable. */
#pragma once

#include "base/libc.h"

/** self_directory() - its directory, with a trailing slash. Return: length, 0 if not known */
size_t self_directory(char path[PATH_MAX]);

/** self_has() - append @name to @len bytes of @path. Return: true if access(2) grants @mode */
bool self_has(char path[PATH_MAX], size_t len, const char *name, int mode);

/** self_find() - self_has() in the directory of this executable: "smc_bpf", "32/ld_pre_smc.so" */
bool self_find(const char *name, int mode, char path[PATH_MAX]);
