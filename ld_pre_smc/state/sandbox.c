// SPDX-License-Identifier: MIT
/* Detect seccomp filters, under which an additional system call may kill the process. */
#include "ld_pre_smc/state/sandbox.h"

#include <errno.h>
#include <fcntl.h>

#include "ld_pre_smc/state/fd_query.h"

atomic_bool shim_in_sandbox, shim_is_locked;

/*
 * Mode 2 in proc(5) is a filter. prctl(2) is not used: a filter may forbid it. A program without
 * /proc after chroot(2) may have a filter.
 */
void shim_sandbox_look(void)
{
	AUTO_ERRNO();

	if (shim_file_has(AT_FDCWD, "/proc/self/status", "\nSeccomp:\t2\n"))
		shim_in_sandbox = true;
}
