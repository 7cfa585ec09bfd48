/* SPDX-License-Identifier: MIT */
/* Preparation of a close, for every call that closes a descriptor: see close.c. */
#pragma once

#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/unsent_data.h"

/* Call shim_signals_restore() after the kernel's close(). */
static inline struct shim_signals shim_close_begin(int number)
{
	struct shim_fd fd = shim_fd_enter(number);
	struct shim_signals old = { 0 };

	if (shim_fd_has(&fd, FD_TIMED))
		shim_lives_end(number);
	if (fd.marks)
		shim_fd_drop(FD_SOCKET | FD_PLAIN | FD_OWN, number);
	if (shim_fd_has(&fd, FD_SMC) && shim_unsent_close(&fd))
		shim_signals_block(&old);
	return old;
}
