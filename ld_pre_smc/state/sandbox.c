// SPDX-License-Identifier: MIT
/* Processes in which a system call that the program does not make itself can be the last one. */
#include "ld_pre_smc/state/sandbox.h"

#include <errno.h>
#include <fcntl.h>

#include "ld_pre_smc/state/sock.h"

atomic_bool shim_in_sandbox, shim_is_locked;

/* proc(5): 2 is a filter. To ask prctl(2) would need a filter that permits it. */
void shim_sandbox_look(void)
{
	int saved = errno;

	if (shim_file_has(AT_FDCWD, "/proc/self/status", "\nSeccomp:\t2\n"))
		shim_in_sandbox = true;
	errno = saved;
}
