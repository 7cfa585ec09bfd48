// SPDX-License-Identifier: MIT
/* prctl(2), by which a program puts a seccomp filter on itself. */
#include <stdarg.h>
#include <sys/prctl.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/sandbox.h"
#include "ld_pre_smc/socket.h"

/**
 * prctl() - prctl(2), which says that a seccomp filter is to come
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
		shim_sandbox_expect();
	ret = next_prctl(option, args);
	/* Programs pass an invalid filter to ask whether the kernel has seccomp. */
	if (option == PR_SET_SECCOMP && !ret) {
		shim_sandbox_lock();
		shim_socket_reset();
	}
	return ret;
}

SHIM_TIME64(prctl, __prctl_time64);
