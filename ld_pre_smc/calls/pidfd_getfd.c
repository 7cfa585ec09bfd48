// SPDX-License-Identifier: MIT
/* pidfd_getfd(2), which receives a descriptor of another process. */
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/fd_table.h"

int pidfd_getfd(int pidfd, int target, unsigned int flags);

/** pidfd_getfd() - pidfd_getfd(2) that marks the descriptor, which may be of any type */
int pidfd_getfd(int pidfd, int target, unsigned int flags)
{
	int ret = ((__typeof__(pidfd_getfd) *)shim_next(SHIM_PIDFD_GETFD))(pidfd, target, flags);

	if (ret >= 0)
		shim_fd_unknown(ret);
	return ret;
}
