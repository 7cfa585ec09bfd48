// SPDX-License-Identifier: MIT
/* Processes in which a system call that the program does not make itself can be the last one. */
#include "ld_pre_smc/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "ld_pre_smc/sock.h"

static atomic_bool in_sandbox, locked;

bool shim_in_sandbox(void)
{
	return atomic_load_explicit(&in_sandbox, memory_order_relaxed);
}

bool shim_is_locked(void)
{
	return atomic_load_explicit(&locked, memory_order_relaxed);
}

void shim_sandbox_expect(void)
{
	atomic_store_explicit(&in_sandbox, true, memory_order_relaxed);
}

void shim_sandbox_lock(void)
{
	atomic_store_explicit(&locked, true, memory_order_relaxed);
}

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
			shim_sandbox_expect();
		shim_close(fd);
	}
	errno = saved;
}
