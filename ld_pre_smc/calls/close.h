/* SPDX-License-Identifier: MIT */
/* Preparation of a close, for every call that closes a descriptor. */
#pragma once

#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/unsent_data.h"

/* Call shim_signals_restore() after the kernel's close(). */
static inline struct shim_signals shim_close_begin(int fd)
{
	struct shim_signals old = { 0 };

	if (shim_lives_has(fd))
		shim_lives_end(fd);
	if (!shim_fd_is_marked(fd))
		shim_fd_drop(FD_OWN | FD_SOCKET, fd);
	else if (shim_unsent_close(fd))
		shim_signals_block(&old);
	return old;
}
