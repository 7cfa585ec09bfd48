// SPDX-License-Identifier: MIT
/*
 * close(2), close_range(2) and closefrom(3). The kernel always closes the descriptor. Before that,
 * shim_close_begin() and shim_unsent_close() do this, in order:
 * 1. The measurement of a connection's life ends (lives.h), and marks for its next calls are
 * dropped. Without the mark of an SMC socket, this is all.
 * 2. If smc_keep has had a copy since shutdown(2), the socket leaves the epoll instances.
 * 3. If there is unsent data, for which the kernel would wait two seconds and then drop it,
 *    smc_keep gets the socket and continues to send. A mark that was wrong is cleared.
 * 4. If nothing is unsent, the kernel sends the peer a close message, which a signal would abort:
 *    signals are blocked until the kernel has closed.
 *
 * dup2() and fclose() do the same; calls/exit.c does it for exec and the end of the process.
 */
#include <errno.h>
#include <unistd.h>

#include "ld_pre_smc/calls/close.h"
#include "ld_pre_smc/next.h"

/* Missing from musl's headers. */
int close_range(unsigned int first, unsigned int last, int flags);
void closefrom(int low);

/**
 * close() - close(2) that neither waits for nor loses data that SMC-R has not sent yet
 *
 * A file that cannot be an SMC socket costs no system call, a socket without unsent data costs one.
 * In a sandbox the kernel's behaviour is unchanged: see shim_in_sandbox.
 */
int close(int fd)
{
	struct shim_signals signals = shim_close_begin(fd);
	int ret = next_close(fd);

	shim_signals_restore(&signals);
	return ret;
}

/*
 * Close the marked descriptors, each with signals blocked. Leave others, and numbers beyond
 * SHIM_FD_NUMBERS, to the caller: their close() may wait, and signals must be able to end the wait.
 */
static void close_sent(unsigned int first, unsigned int last)
{
	struct shim_signals signals;
	int fd;

	if (first >= SHIM_FD_NUMBERS)
		return;
	for (fd = shim_fd_next(FD_SMC | FD_TIMED, (int)first); fd >= 0 && (unsigned int)fd <= last;
	     fd = shim_fd_next(FD_SMC | FD_TIMED, fd + 1)) {
		signals = shim_close_begin(fd);
		if (signals.are_blocked)
			next_close(fd);
		shim_signals_restore(&signals);
	}
}

/**
 * close_range() - close_range(2), repaired like close()
 *
 * With CLOSE_RANGE_UNSHARE other threads keep their descriptors, and with CLOSE_RANGE_CLOEXEC
 * nothing is closed yet.
 */
int close_range(unsigned int first, unsigned int last, int flags)
{
	if (!flags)
		close_sent(first, last);
	return next_close_range(first, last, flags);
}

/** closefrom() - closefrom(3), repaired like close() */
void closefrom(int low)
{
	close_sent(low < 0 ? 0 : (unsigned int)low, ~0U);
	next_closefrom(low);
}
