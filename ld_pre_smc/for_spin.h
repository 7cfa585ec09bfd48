/* SPDX-License-Identifier: MIT */
/* The part of ld_pre_smc.so that ld_pre_smc_spin.so uses. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

struct shim_sock;

/**
 * struct smc_shim_view - what the library knows of its process, and two library functions
 * @fd_bytes: marks of SHIM_FD_NUMBERS descriptors, see state/fd_table.h
 * @is_locked: see state/sandbox.h; @is_smc: see state/fd_query.h
 * @log: shim_log_text(), see state/log.h
 */
struct smc_shim_view {
	const unsigned char *fd_bytes;
	const atomic_bool *is_locked;
	bool (*is_smc)(int fd, struct shim_sock *sock);
	void (*log)(const char *text);
};

/* A change of the structure needs another name. */
extern const struct smc_shim_view smc_shim_view_1;
