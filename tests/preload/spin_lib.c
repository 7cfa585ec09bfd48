// SPDX-License-Identifier: MIT
/* ld_pre_smc_spin.so that takes UNIX sockets for SMC connections, without ld_pre_smc.so. */
#include "launch/variables.c"
#include "ld_pre_smc/symbol.c"
#include "ld_pre_smc_spin/calls.c"
#include "ld_pre_smc_spin/spin.c"

static unsigned char marks[SHIM_FD_NUMBERS] = { [0 ... SHIM_FD_NUMBERS - 1] = FD_SMC };
static atomic_bool never;

static bool is_unix(int fd, struct shim_sock *sock)
{
	socklen_t len = sizeof(int);
	int domain = -1;

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len);
	return domain == AF_UNIX;
}

static void drop(const char *text)
{
}

__attribute__((visibility("default")))
const struct smc_shim_view smc_shim_view_1 = { marks, &never, is_unix, drop };
