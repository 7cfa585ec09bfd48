/* SPDX-License-Identifier: MIT */
/* Network namespaces, and which sysfs shows that of the calling thread. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

#define SYSFS_ROOT "/sys"
#define SYSFS_ROOT_SIZE 64

/**
 * smc_netns_enter() - move the calling thread into another network namespace
 * @name: name under /run/netns as ip-netns(8) keeps them, a process id, or a path with a slash;
 *	NULL to stay
 *
 * Return: 0; -ENOENT, -ESRCH no such namespace or process; -EPERM without CAP_SYS_ADMIN.
 */
int smc_netns_enter(const char *name, struct smc_err *err);

/**
 * smc_netns_run() - do something in another network namespace, and come back
 * @name: as above; "" for the one that the thread is in
 * @fn: returns 0, or -errno with its own sentence
 *
 * Return: what @fn returned; -errno with @err when there is no way in, or back.
 */
int smc_netns_run(const char *name, int (*fn)(void *arg), void *arg, struct smc_err *err);

/**
 * sysfs_here() - the sysfs of the network namespace that the calling thread is in
 * @root: receives its path
 * @fd: receives a descriptor that keeps it alive, negative where none is needed
 * @is_entered: /sys is surely another namespace's, see smc_netns_enter()
 *
 * /sys shows the namespace in which it was mounted, also after "nsenter -n" and "unshare -n". Where
 * that is another one, this makes a sysfs that is mounted nowhere. Without CAP_SYS_ADMIN it is
 * taken to be /sys.
 *
 * Return: 0; only if @is_entered -errno with @err (-ENOSYS before kernel 5.2).
 */
int sysfs_here(char root[SYSFS_ROOT_SIZE], int *fd, bool is_entered, struct smc_err *err);
