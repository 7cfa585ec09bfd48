// SPDX-License-Identifier: MIT
/* prctl(2), to detect seccomp filters. */
#include <stdarg.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/choice.h"
#include "ld_pre_smc/state/sandbox.h"

/**
 * prctl() - prctl(2) that detects a present or future seccomp filter
 *
 * libseccomp calls syscall(2), which is not interposed, but sets PR_SET_NO_NEW_PRIVS first.
 */
int prctl(int option, ...)
{
	unsigned long args[4];
	va_list ap;
	int ret;

	/* Same as in libc: the kernel ignores arguments that were not passed. */
	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		args[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)
		shim_in_sandbox = true;
	ret = next_prctl(option, args[0], args[1], args[2], args[3]);
	/* Programs pass an invalid filter to test whether the kernel has seccomp. */
	if ((option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS) && !ret) {
		shim_is_locked = true;
		shim_look_again();
	}
	return ret;
}

SHIM_TIME64(prctl, __prctl_time64);
