/* SPDX-License-Identifier: MIT */
/* Files that were built, or installed, together with this program. */
#ifndef SMC_SYS_SELF_H
#define SMC_SYS_SELF_H

#include <limits.h>
#include <stdbool.h>

/**
 * self_find() - a file in the directory of this executable
 * @name: relative to that directory: "smc_bpf", "32/ld_pre_smc.so"
 * @mode: what must be allowed, R_OK or X_OK of access(2)
 * @path: receives its path
 *
 * Return: false if it is not there; @path means nothing then.
 */
bool self_find(const char *name, int mode, char path[PATH_MAX]);

#endif
