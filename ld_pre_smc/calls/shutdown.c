// SPDX-License-Identifier: MIT
/*
 * shutdown(2) that neither waits for nor loses unsent data, and ends waits. In this order:
 * 1. A descriptor without a mark, or that is no SMC socket, is left to the kernel.
 * 2. For writing: the peer's address is remembered for getpeername(2). For unsent data, the kernel
 * would wait two seconds and with SHUT_RDWR then drop the rest: smc_keep gets a copy, and shuts it
 * down after all is sent. If nothing is unsent, signals are blocked during the message to the peer,
 * see shim_unsent_close().
 * 3. For reading: reading ends at once, and threads that wait are woken.
 * 4. A listener, which the kernel cannot shut down, is replaced by a TCP socket that does not
 *    listen; listen() makes it an SMC listener again. A connecting socket is replaced, too.
 */
#include <errno.h>
#include <sys/socket.h>

#include "ld_pre_smc/calls/data.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/broken_handshake.h"
#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/state/keeper_client.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "ld_pre_smc/state/sandbox.h"
#include "ld_pre_smc/state/unsent_data.h"

static bool is_deferred(int fd, int how)
{
	if (!shim_keeper_give(fd, how == SHUT_WR ? KEEP_SHUT_WR : KEEP_SHUT_RDWR))
		return false;
	shim_fd_set(FD_KEPT, fd);
	shim_guard_writes(shim_refuses);
	shim_log_fd(fd, "shutdown() is left to smc_keep, after unsent data", NULL, 0);
	return true;
}

/* Return: 0 or errno, like those below. */
static int shut_next(int fd, int how)
{
	return next_shutdown(fd, how) ? errno : 0;
}

static int end_reading(int fd)
{
	int err = shut_next(fd, SHUT_RD);

	if (!err && shim_mends(fd, REPAIR_SHUTDOWN_WAKES))
		shim_wake(fd, true);
	return err;
}

/*
 * With SHUT_RDWR, the kernel wakes other threads before it notes that reading has ended, so a
 * poll(2) could sleep on. The connection may end between the two calls.
 */
static int end_writing(int fd, int how)
{
	struct shim_signals signals = { 0 };
	int unsent = shim_in_sandbox ? -1 : shim_unsent(fd), err;
	bool is_twice;

	shim_route_shut(fd);
	if (unsent > 0 && is_deferred(fd, how))
		return how == SHUT_RDWR ? end_reading(fd) : 0;
	if (!unsent)
		shim_signals_block(&signals);
	is_twice = how == SHUT_RDWR && shim_mends(fd, REPAIR_SHUTDOWN_WAKES);
	err = shut_next(fd, is_twice ? SHUT_RD : how);
	if (!err && is_twice)
		next_shutdown(fd, how);
	shim_signals_restore(&signals);
	return err;
}

/* After ENOTCONN: TCP also shuts down a listener, and a socket that is about to be connected. */
static int shut_unconnected(struct shim_fd *fd, int how)
{
	if (shim_int_option(fd->number, SOL_SOCKET, SO_ACCEPTCONN) <= 0)
		return shim_shut_attempt(fd, how);
	if (!shim_mends(fd->number, REPAIR_SHUTDOWN_LISTENER) ||
	    (how != SHUT_WR && shim_replace_listener(fd)))
		return ENOTCONN;
	return 0;
}

/** shutdown() - shutdown(2), see above */
int shutdown(int number, int how)
{
	struct shim_fd fd = shim_fd_enter(number);
	int saved = errno, err;

	if (!shim_fd_has(&fd, FD_SMC) || !shim_repairs() || !shim_fd_is_any_smc(&fd))
		return next_shutdown(number, how);
	if (how == SHUT_WR || how == SHUT_RDWR)
		err = end_writing(number, how);
	else
		err = how == SHUT_RD ? end_reading(number) : shut_next(number, how);
	if (err == ENOTCONN)
		err = shut_unconnected(&fd, how);
	errno = err ? err : saved;
	return err ? -1 : 0;
}
