// SPDX-License-Identifier: MIT
/* The library's constructor, which runs before main(). */
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/keeper_client.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/symbol.h"

/* Resolve all before main(), because signal handlers must not: see shim_resolve(). */
static __attribute__((constructor)) void prepare(void)
{
	struct shim_config own;
	int fn;

	shim_has_started = true;
	for (fn = 0; fn < SHIM_FNS; fn++)
		shim_resolve(fn);
	if (shim_config_get(&own)->debug && shim_symbol("io_uring_queue_init"))
		shim_log_text("the program has liburing: io_uring(7) bypasses this library");
	shim_fd_start();
	shim_keeper_find();
}
