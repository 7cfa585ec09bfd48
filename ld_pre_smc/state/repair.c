// SPDX-License-Identifier: MIT
/* Whether a repair is needed; and the repair of SO_LINGER. */
#include "ld_pre_smc/state/repair.h"

#include <stdatomic.h>
#include <sys/utsname.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/log.h"

int shim_release(void)
{
	static atomic_int known;
	int parts[2] = { 0 }, n = 0;
	struct utsname host;
	const char *c;
	AUTO_ERRNO();

	if (!known && !shim_in_sandbox && !uname(&host)) {
		for (c = host.release; n < 2 && (*c == '.' || (*c >= '0' && *c <= '9')); c++)
			if (*c == '.')
				n++;
			else
				parts[n] = parts[n] * 10 + *c - '0';
		known = SHIM_RELEASE(parts[0], parts[1]);
	}
	return known;
}

bool shim_mends(int fd, enum shim_repair repair)
{
	bool needs = shim_needs(repair);

	if (needs)
		shim_log_fd(fd, shim_repair_names[repair], NULL, 0);
	return needs;
}

void shim_linger_hide(int fd, struct linger *kept)
{
	static const struct linger none;
	socklen_t len = sizeof(*kept);
	AUTO_ERRNO();

	if (next_getsockopt(fd, SOL_SOCKET, SO_LINGER, kept, &len) || !kept->l_onoff ||
	    !kept->l_linger || !shim_mends(fd, REPAIR_LINGER) ||
	    next_setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none)))
		*kept = none;
}

void shim_linger_show(int fd, const struct linger *kept)
{
	AUTO_ERRNO();

	if (kept->l_onoff)
		next_setsockopt(fd, SOL_SOCKET, SO_LINGER, kept, sizeof(*kept));
}
