// SPDX-License-Identifier: MIT
/* Processes in which a system call that the program does not make itself can be the last one. */
#include "ld_pre_smc/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/swap.h"

static atomic_bool in_sandbox, locked;

bool shim_in_sandbox(void)
{
	return atomic_load_explicit(&in_sandbox, memory_order_relaxed);
}

bool shim_is_locked(void)
{
	return atomic_load_explicit(&locked, memory_order_relaxed);
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
			atomic_store_explicit(&in_sandbox, true, memory_order_relaxed);
		shim_close(fd);
	}
	errno = saved;
}

/**
 * prctl() - prctl(2), which tells that a filter is to come
 *
 * Return: as prctl(2).
 */
int prctl(int option, ...)
{
	unsigned long args[4];
	va_list ap;
	int ret;

	/* As libc does: whatever was not passed is not looked at by the kernel. */
	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		args[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)
		atomic_store_explicit(&in_sandbox, true, memory_order_relaxed);
	ret = next_prctl(option, args);
	/* Programs ask with no filter at all whether the kernel has any. */
	if (option == PR_SET_SECCOMP && !ret) {
		atomic_store_explicit(&locked, true, memory_order_relaxed);
		shim_socket_again();
	}
	return ret;
}

SHIM_TIME64(prctl, __prctl_time64);
