// SPDX-License-Identifier: MIT
/* shutdown(2) with data that SMC-R has not sent yet. */
#include <errno.h>
#include <sys/socket.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/state/keeper_client.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/signals.h"
#include "ld_pre_smc/state/unsent_data.h"

static bool is_deferred(int fd, int how)
{
	if (!shim_keeper_give(fd, how == SHUT_WR ? KEEP_SHUT_WR : KEEP_SHUT_RDWR))
		return false;
	if (fd < SHIM_FD_NUMBERS)
		shim_fd_set(FD_KEPT, fd);
	shim_log_fd(fd, "shutdown() is left to smc_keep, after unsent data", NULL, 0);
	return true;
}

/**
 * shutdown() - shutdown(2) that neither waits for nor loses unsent data
 *
 * The kernel waits two seconds, even on non-blocking sockets, and with SHUT_RDWR it then drops the
 * rest, as in close(). smc_keep shuts the socket down after all is sent; receiving ends at once.
 * Signals are blocked during the message to the peer, see shim_unsent_close().
 *
 * Return: as shutdown(2).
 */
int shutdown(int fd, int how)
{
	struct shim_signals signals = { 0 };
	int unsent, ret;

	if ((how == SHUT_WR || how == SHUT_RDWR) && shim_unsent_is_ours(fd)) {
		shim_route_shut(fd);
		unsent = shim_unsent(fd);
		if (unsent > 0 && is_deferred(fd, how))
			return how == SHUT_RDWR ? next_shutdown(fd, SHUT_RD) : 0;
		if (!unsent)
			shim_signals_block(&signals);
	}
	ret = next_shutdown(fd, how);
	shim_signals_restore(&signals);
	return ret;
}
