// SPDX-License-Identifier: MIT
/* The library's constructor, which runs before main(). */
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/keeper_client.h"

/* Before main(), so that signal handlers never need to: see shim_resolve(). */
static __attribute__((constructor)) void prepare(void)
{
	struct shim_config own;
	int fn;

	shim_has_started = true;
	for (fn = 0; fn < SHIM_FNS; fn++)
		shim_resolve(fn);
	shim_config_get(&own);
	shim_fd_start();
	shim_keeper_find();
}
