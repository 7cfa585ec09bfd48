/* SPDX-License-Identifier: MIT */
/* The part of ld_pre_smc.so that ld_pre_smc_spin.so reads. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

/**
 * struct smc_shim_view - knowledge of the library about its process
 * @fd_bytes: marks of SHIM_FD_NUMBERS descriptors, see state/fd_table.h
 * @is_locked: see state/sandbox.h
 * @stat: see state/sock.h
 */
struct smc_shim_view {
	const unsigned char *fd_bytes;
	const atomic_bool *is_locked;
	int (*stat)(int fd, const char *path, struct stat *st);
};

/* A change of the structure needs another name. */
extern const struct smc_shim_view smc_shim_view_1;
