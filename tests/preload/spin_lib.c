// SPDX-License-Identifier: MIT
/* ld_pre_smc_spin.so that takes UNIX sockets for SMC connections, without ld_pre_smc.so. */
#include <sys/socket.h>

#include "smc/abi.h"

#undef AF_SMC
#define AF_SMC AF_UNIX

#include "launch/variables.c"
#include "ld_pre_smc_spin/calls.c"
#include "ld_pre_smc_spin/spin.c"

static unsigned char marks[SHIM_FD_NUMBERS] = { [0 ... SHIM_FD_NUMBERS - 1] = FD_SMC };
static atomic_bool never;

__attribute__((visibility("default")))
const struct smc_shim_view smc_shim_view_1 = { .fd_bytes = marks, .is_locked = &never };
