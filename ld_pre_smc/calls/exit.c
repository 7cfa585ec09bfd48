// SPDX-License-Identifier: MIT
/* End of a process: without close(), unsent data of SMC-R would be lost. */
#include <stdlib.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/unsent_data.h"

static void leave(void)
{
	shim_lives_leave();
	shim_unsent_leave(false);
}

static __attribute__((destructor)) void leave_by_exit(void)
{
	leave();
}

/** _exit() - _exit(2) that leaves unsent data to smc_keep, as close() does */
void _exit(int status)
{
	leave();
	next_exit(status);
	__builtin_unreachable();
}

/** _Exit() - _Exit(3), like _exit() */
void _Exit(int status)
{
	_exit(status);
}

/** quick_exit() - quick_exit(3) that does the work of _exit() before the handlers run */
void quick_exit(int status)
{
	leave();
	next_quick_exit(status);
	__builtin_unreachable();
}
