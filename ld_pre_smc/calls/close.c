// SPDX-License-Identifier: MIT
/*
 * close(2), close_range(2) and closefrom(3).
 *
 * The kernel closes the descriptor, always. Before that, where its byte says that it may be an SMC
 * socket, shim_unsent_close() looks at it. Where the byte was wrong it is corrected, and that was
 * all. Where data is unsent that the kernel would wait two seconds for and then drop, smc_keep gets
 * the socket, and goes on sending after this process has closed it. Where nothing is unsent the
 * kernel sends the peer a message about the end. A signal would break that off, so signals wait
 * until the kernel has closed.
 *
 * The same comes before everything else that closes: dup2() what it overwrites, fclose(), exec and
 * the end of the process.
 */
#include <errno.h>
#include <unistd.h>

#include "ld_pre_smc/calls/close.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/signals.h"
#include "ld_pre_smc/state/unsent_data.h"

/* musl's headers have neither. */
int close_range(unsigned int first, unsigned int last, int flags);
void closefrom(int low);

/**
 * close() - close(2); what SMC-R has not sent yet is sent all the same, and nobody waits
 *
 * The kernel waits two seconds, and then throws the rest away. As long as somebody has the socket
 * it goes on sending, so smc_keep gets it. A file that cannot be an SMC socket costs no system
 * call, a socket that has sent all costs one. No signal comes between the kernel and the peer, see
 * shim_unsent_close().
 *
 * A program in a sandbox gets what the kernel does: see shim_in_sandbox.
 *
 * Return: as close(2).
 */
int close(int fd)
{
	struct shim_signals signals = shim_close_begin(fd);
	int ret = next_close(fd);

	shim_signals_restore(&signals);
	return ret;
}

/* Others may wait in their close(), and signals end that. Huge numbers are left to the kernel. */
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
 * close_range() - close_range(2), as close()
 *
 * With CLOSE_RANGE_UNSHARE other threads keep their descriptors, and with CLOSE_RANGE_CLOEXEC
 * nothing is closed yet.
 *
 * Return: as close_range(2).
 */
int close_range(unsigned int first, unsigned int last, int flags)
{
	if (!flags)
		close_sent(first, last);
	return next_close_range(first, last, flags);
}

/** closefrom() - closefrom(3), as close() */
void closefrom(int low)
{
	close_sent(low < 0 ? 0 : (unsigned int)low, ~0U);
	next_closefrom(low);
}
