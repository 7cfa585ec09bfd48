// SPDX-License-Identifier: MIT
/* fork(2), after which two processes share the sockets. */
#include <errno.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/sandbox.h"

/* Clear FD_PLAIN of all sockets: from now on either process may change a shared socket. */
static void drop_all_plain(void)
{
	int fd;

	for (fd = shim_fd_next(FD_OWN | FD_TIMED, 0); fd >= 0;
	     fd = shim_fd_next(FD_OWN | FD_TIMED, fd + 1)) {
		shim_fd_drop(FD_PLAIN | FD_OWN, fd);
		if (shim_lives_has(fd))
			shim_lives_share(fd);
	}
}

/**
 * fork() - fork(2); the child records that it owns its memory
 *
 * The child would notice this by itself, but too late to recognize its own vfork(2) child.
 */
pid_t fork(void)
{
	int saved = errno;
	pid_t pid;

	drop_all_plain();
	pid = next_fork();
	if (!pid && !shim_in_sandbox)
		shim_fd_is_owner();
	if (pid >= 0)
		errno = saved;
	return pid;
}
