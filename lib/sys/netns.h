/* SPDX-License-Identifier: MIT */
/* Network namespaces and the presence of SMC in the running kernel. */
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

/**
 * smc_module_load() - have the kernel load SMC if it can
 *
 * Opening an AF_SMC socket makes the kernel load the module "smc" by its alias net-pf-43,
 * for every user.
 *
 * Return: 0 when SMC is there now, -EAFNOSUPPORT when this kernel has none, another -errno when
 * a socket is refused for another reason (a sandbox).
 */
int smc_module_load(void);

#endif
