// SPDX-License-Identifier: MIT
/* The part of ld_pre_smc.so that ld_pre_smc_spin.so uses. */
#include "ld_pre_smc/for_spin.h"

#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/sandbox.h"

const struct smc_shim_view smc_shim_view_1 = {
	.fd_bytes = shim_fd_bytes,
	.is_locked = &shim_is_locked,
	.is_smc = shim_is_smc,
	.log = shim_log_text,
};
