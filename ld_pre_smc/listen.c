// SPDX-License-Identifier: MIT
/* listen(2). */
#include "ld_pre_smc/config.h"
#include "ld_pre_smc/linger.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/rules_apply.h"
#include "ld_pre_smc/sock.h"

/**
 * listen() - listen(2), with SO_LINGER kept from doing harm
 *
 * Return: 0 with errno untouched, or -1 with errno.
 */
int listen(int fd, int backlog)
{
	struct linger kept = { 0 };
	int ret;

	shim_rules_listen(fd);
	if (shim_repairs() && shim_is_smc(fd, NULL))
		shim_linger_hide(fd, &kept);
	ret = next_listen(fd, backlog);
	shim_linger_show(fd, &kept);
	return ret;
}
