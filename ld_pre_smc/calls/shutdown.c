// SPDX-License-Identifier: MIT
/* shutdown(2) that ends the waits of other threads, and keeps data that SMC-R has not sent yet. */
#include <errno.h>
#include <sys/socket.h>

#include "ld_pre_smc/calls/data.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/state/keeper_client.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "ld_pre_smc/state/sandbox.h"
#include "ld_pre_smc/state/unsent_data.h"

static bool is_deferred(int fd, int how)
{
	if (!shim_keeper_give(fd, how == SHUT_WR ? KEEP_SHUT_WR : KEEP_SHUT_RDWR))
		return false;
	if (fd < SHIM_FD_NUMBERS)
		shim_fd_set(FD_KEPT, fd);
	shim_left_some = true;
	shim_log_fd(fd, "shutdown() is left to smc_keep, after unsent data", NULL, 0);
	return true;
}

/* Setting the size of the send buffer, here to what it is, wakes threads if it has space. */
static int end_reading(int fd)
{
	int ret = next_shutdown(fd, SHUT_RD), saved = errno;
	int size = ret ? 0 : shim_int_option(fd, SOL_SOCKET, SO_SNDBUF) / 2;

	if (size > 0)
		next_setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	errno = saved;
	return ret;
}

/*
 * With SHUT_RDWR, the kernel wakes other threads before it notes that reading has ended: a poll(2)
 * among them could sleep on. The connection may end between the two calls.
 */
static int end_writing(int fd, int how)
{
	struct shim_signals signals = { 0 };
	int unsent = shim_in_sandbox ? -1 : shim_unsent(fd), saved = errno, ret;

	shim_route_shut(fd);
	if (unsent > 0 && is_deferred(fd, how))
		return how == SHUT_RDWR ? end_reading(fd) : 0;
	if (!unsent)
		shim_signals_block(&signals);
	ret = next_shutdown(fd, how == SHUT_RDWR ? SHUT_RD : how);
	if (!ret && how == SHUT_RDWR && next_shutdown(fd, how))
		errno = saved;
	shim_signals_restore(&signals);
	return ret;
}

/**
 * shutdown() - shutdown(2) that neither waits for nor loses unsent data, and ends waits
 *
 * The kernel waits two seconds, even on non-blocking sockets, and with SHUT_RDWR it then drops the
 * rest, as in close(). smc_keep shuts the socket down after all is sent; receiving ends at once.
 * Signals are blocked during the message to the peer, see shim_unsent_close().
 *
 * A listener, which the kernel cannot shut down, is replaced by a TCP socket that does not listen;
 * listen() makes it an SMC listener again.
 *
 * Return: as shutdown(2).
 */
int shutdown(int number, int how)
{
	struct shim_fd fd = shim_fd_enter(number);
	int saved = errno, ret;

	if (!shim_fd_is_marked(number) || !shim_repairs() || !shim_fd_is_smc(&fd))
		return next_shutdown(number, how);
	if (how == SHUT_WR || how == SHUT_RDWR)
		ret = end_writing(number, how);
	else
		ret = how == SHUT_RD ? end_reading(number) : next_shutdown(number, how);
	if (ret && errno == ENOTCONN && shim_int_option(number, SOL_SOCKET, SO_ACCEPTCONN) > 0 &&
	    (how == SHUT_WR || !shim_swap_listener(&fd))) {
		errno = saved;
		return 0;
	}
	return ret;
}
