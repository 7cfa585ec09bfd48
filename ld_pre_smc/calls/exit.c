// SPDX-License-Identifier: MIT
/* End of a process, and exec: without close(), unsent data of SMC-R would be lost. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ld_pre_smc/calls/exit.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/sandbox.h"
#include "ld_pre_smc/state/unsent_data.h"

/*
 * Without smc_keep: wait as long as the kernel does in close(). All sockets share the time, as the
 * kernel sends for each while one is waited for.
 */
static void wait_until_sent(int fd, long long *end)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	if (!*end)
		*end = shim_milliseconds() + KEEP_KERNEL_MS;
	if (shim_milliseconds() >= *end)
		return;
	shim_log_fd(fd, "exit() waits until data is sent", NULL, 0);
	while (shim_unsent(fd) > 0 && shim_milliseconds() < *end &&
	       !(shim_events(fd, 0) & (POLLERR | POLLHUP))) {
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 16000000)
			pause.tv_nsec *= 2;
	}
}

/* True if this process has sockets of its own. Those in a child of vfork(2) are its parent's. */
static bool has_sockets(void)
{
	return shim_fd_next(FD_SMC, 0) >= 0 && shim_repairs() && !shim_in_sandbox &&
	       shim_fd_is_owner();
}

/* Pass sockets to smc_keep. @by_exec: only those that exec will close, and wait for none. */
static void give_sockets(bool by_exec)
{
	AUTO_ERRNO();
	int fd;
	long long end = 0;

	if (!has_sockets())
		return;
	for (fd = shim_fd_next(FD_SMC, 0); fd >= 0; fd = shim_fd_next(FD_SMC, fd + 1)) {
		if (shim_unsent(fd) <= 0 || !shim_is_smc(fd, NULL) ||
		    (by_exec && fcntl(fd, F_GETFD) != FD_CLOEXEC))
			continue;
		if (!shim_unsent_give(fd) && !by_exec)
			wait_until_sent(fd, &end);
	}
}

void shim_leave_by_exec(void)
{
	give_sockets(true);
}

static void leave(void)
{
	shim_lives_leave();
	give_sockets(false);
}

static __attribute__((destructor)) void leave_by_exit(void)
{
	leave();
}

/** _exit() - _exit(2) that leaves unsent data to smc_keep, as close() does */
void _exit(int status)
{
	leave();
	next_exit(status);
	__builtin_unreachable();
}

/** _Exit() - _Exit(3), as _exit() */
void _Exit(int status)
{
	_exit(status);
}

/** quick_exit() - quick_exit(3), with the work of _exit() before the handlers run */
void quick_exit(int status)
{
	leave();
	next_quick_exit(status);
	__builtin_unreachable();
}
