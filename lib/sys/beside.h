/* SPDX-License-Identifier: MIT */
/* Files that were built, or installed, together with this program. */
#ifndef SMC_SYS_BESIDE_H
#define SMC_SYS_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/**
 * find_beside() - a file in the folder of this executable
 * @name: relative to that folder: "smc_bpf", "32/ld_pre_smc.so"
 * @mode: what must be allowed, R_OK or X_OK of access(2)
 * @path: receives its path
 *
 * Return: false if it is not there; @path means nothing then.
 */
bool find_beside(const char *name, int mode, char path[PATH_MAX]);

#endif
