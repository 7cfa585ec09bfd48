// SPDX-License-Identifier: MIT
/* SO_LINGER across calls that would turn its seconds into 0. */
#include "ld_pre_smc/linger.h"

#include <errno.h>

#include "ld_pre_smc/next.h"

void shim_linger_hide(int fd, struct linger *kept)
{
	static const struct linger none;
	socklen_t len = sizeof(*kept);
	int saved = errno;

	if (next_getsockopt(fd, SOL_SOCKET, SO_LINGER, kept, &len) || !kept->l_onoff ||
	    !kept->l_linger || next_setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none)))
		*kept = none;
	errno = saved;
}

void shim_linger_show(int fd, const struct linger *kept)
{
	int saved = errno;

	if (kept->l_onoff)
		next_setsockopt(fd, SOL_SOCKET, SO_LINGER, kept, sizeof(*kept));
	errno = saved;
}
