// SPDX-License-Identifier: MIT
/* Processes in which a system call that the program does not make itself can be the last one. */
#include "ld_pre_smc/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ld_pre_smc/sock.h"

atomic_bool shim_in_sandbox, shim_is_locked;

/*
 * proc(5): "Seccomp:\t2" is a filter. To ask prctl(2) would need a filter that permits it. The line
 * comes behind that of the groups, of which a user may have thousands.
 */
static bool has_filter(int status)
{
	static const char filter[] = "\nSeccomp:\t2\n";
	char text[4096];
	size_t have = 0;
	ssize_t len;

	while ((len = read(status, text + have, sizeof(text) - have)) > 0) {
		have += (size_t)len;
		if (memmem(text, have, filter, sizeof(filter) - 1))
			return true;
		/* The line may be in two pieces. */
		if (have >= sizeof(filter)) {
			memmove(text, text + have - sizeof(filter), sizeof(filter));
			have = sizeof(filter);
		}
	}
	return false;
}

void shim_sandbox_look(void)
{
	int saved = errno, fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (has_filter(fd))
			shim_in_sandbox = true;
		shim_close(fd);
	}
	errno = saved;
}
