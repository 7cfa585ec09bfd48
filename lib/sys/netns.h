/* SPDX-License-Identifier: MIT */
/* Network namespaces. */
#ifndef SMC_SYS_NETNS_H
#define SMC_SYS_NETNS_H

#include "base/err.h"

/**
 * smc_netns_enter() - move the calling thread into another network namespace
 * @name: name under /run/netns as ip-netns(8) keeps them, a process id, or a path with a slash
 *
 * Return: 0; -ENOENT, -ESRCH no such namespace or process; -EPERM without CAP_SYS_ADMIN.
 */
int smc_netns_enter(const char *name, struct smc_err *err);

#endif
