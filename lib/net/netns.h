/* SPDX-License-Identifier: MIT */
/* Network namespaces, and the sysfs of the calling thread's namespace. */
#pragma once

#include <stdint.h>

#include "base/err.h"

#define SYSFS_ROOT "/sys"
#define SYSFS_ROOT_SIZE 64

/**
 * smc_netns_enter() - move the calling thread into another network namespace
 * @name: name of ip-netns(8), a process id, or a path with a slash; NULL to stay
 *
 * Return: 0; -ENOENT, -ESRCH for no such namespace or process; -EPERM without CAP_SYS_ADMIN.
 */
int smc_netns_enter(const char *name, struct smc_err *err);

/**
 * smc_netns_run() - call a function in another network namespace, and return from it
 * @name: as in smc_netns_enter(); "" for the current one
 * @fn: returns 0, or -errno with its own sentence
 *
 * Return: result of @fn; -errno with @err if the namespace cannot be entered, or left.
 */
int smc_netns_run(const char *name, int (*fn)(void *arg), void *arg, struct smc_err *err);

/**
 * smc_netns_id() - number of the calling thread's network namespace, unique until the next boot
 *
 * Return: its cookie (SO_NETNS_COOKIE); before kernel 5.14 its inode, which a later namespace may
 * have again; 0 if neither is known.
 */
uint64_t smc_netns_id(void);

/**
 * sysfs_here() - the sysfs of the calling thread's network namespace
 * @root: receives its path
 * @fd: receives a descriptor that keeps it alive, negative if none is needed
 * @is_entered: after smc_netns_enter(), so /sys belongs to another namespace
 *
 * /sys shows the namespace in which it was mounted, even after "nsenter -n" and "unshare -n". If
 * that is another one, this function creates a detached sysfs mount. Without CAP_SYS_ADMIN, /sys is
 * assumed to match.
 *
 * Return: 0; -errno with @err, only if @is_entered (-ENOSYS before kernel 5.2).
 */
int sysfs_here(char root[SYSFS_ROOT_SIZE], int *fd, bool is_entered, struct smc_err *err);
