/* SPDX-License-Identifier: MIT */
/* All network namespaces of this host, and their names. */
#pragma once

#include "base/memory.h"

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define NETNS_DIRECTORY "/run/netns"
#define NETNS_OWN "/proc/thread-self/ns/net"
#define NETNS_NAME_SIZE 320 /* namespace and name of a pod are 63 + 1 + 253 bytes */

/**
 * struct netns - a network namespace
 * @inode: number shown by lsns(8) and "ls -L /proc/PID/ns/net"
 * @pid: lowest process ID in it; 0: only a file keeps it alive
 * @file: its name under /run/netns, "" for none
 * @name: container, pod or machine; else @file; else the unit of @pid; "host" is reserved for the
 *	namespace of process 1, "own" for the caller's if it cannot see that one; else
 *	"net:[INODE]". Not escaped, not unique
 * @is_own: the calling thread was in it when the list was read
 */
struct netns {
	uint64_t inode;
	pid_t pid;
	char file[256];
	char name[NETNS_NAME_SIZE];
	bool is_own;
};

/**
 * struct netns_list - the caller's own is first, the others are sorted by name
 * @hidden: number of processes whose namespace the caller cannot see
 * @denied: number of namespaces that it may not enter
 * @failed: number of other failures; @first: the first of them, with the name before it
 * @is_stopped: a function of netns_list_each() sets it to end the walk with its result
 */
struct netns_list {
	struct netns *entries;
	size_t count;
	size_t hidden, denied, failed;
	bool is_stopped;
	struct smc_err first;
};

ARRAY_FREE(netns_list_free, netns_list, entries)

/**
 * netns_list_load() - find the namespaces of processes, and those under /run/netns
 *
 * smc_netns does this. It misses namespaces of only an open descriptor or a single thread.
 *
 * Return: 0, -EROFS for a recorded host, -ENOENT if smc_netns is missing, -errno; with @err.
 */
int netns_list_load(struct netns_list *list, struct smc_err *err);

/**
 * netns_list_each() - call a function in each namespace, in this thread, and return
 * @fn: returns 0; -errno with @err, after which the walk continues, unless @fn sets @is_stopped
 *
 * setns(2) needs CAP_SYS_ADMIN here and over the namespace; the caller's own, which comes first,
 * needs nothing. Skips vanished ones silently. After entering a user namespace, returning may be
 * impossible: later lists then treat the original namespace like any other.
 *
 * Return: 0, even if some failed (see @list); the result of @fn that stopped the walk; -errno.
 */
int netns_list_each(struct netns_list *list,
		    int (*fn)(void *arg, const struct netns *netns, struct smc_err *err), void *arg,
		    struct smc_err *err);

/** netns_list_failure() - write a sentence about @failed. Return: 0 if none failed, else -EIO */
int netns_list_failure(const struct netns_list *list, struct smc_err *err);

/** netns_list_hidden() - write one sentence about @hidden; "" for none */
void netns_list_hidden(const struct netns_list *list, char *text, size_t size);
