/* SPDX-License-Identifier: MIT */
/* All network namespaces of this host, and what people call each. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "cgroup/container.h"

/**
 * struct netns - one of them
 * @inode: its number, as lsns(8) and "ls -L /proc/PID/ns/net" show it
 * @pid: the process with the lowest number in it; 0: only a file keeps it
 * @file: its name under /run/netns, "" for none
 * @name: container, pod or machine; else @file; else the unit of @pid; "host" is that of process 1,
 *	"own" that of the caller, who may not see that one, and no other is called like these two;
 *	else "net:[INODE]". Not escaped; two may have one name
 * @is_own: the calling thread was in it when the list was read
 */
struct netns {
	uint64_t inode;
	pid_t pid;
	char file[256];
	char name[CONTAINER_NAME_SIZE];
	bool is_own;
};

/**
 * struct netns_list - the caller's own is first, the others by name
 * @hidden: processes whose namespace the caller may not see
 * @denied: namespaces that it may not enter
 * @failed: where something else failed; @first: what failed first, with the name before it
 */
struct netns_list {
	struct netns *entries;
	size_t count, size;
	size_t hidden, denied, failed;
	struct smc_err first;
};

/**
 * netns_list_load() - those of the processes in /proc, and those under /run/netns
 *
 * What nothing but an open descriptor or a thread of its own keeps is not found.
 *
 * Return: 0, -EROFS for a recorded host, -errno with @err.
 */
int netns_list_load(struct netns_list *list, struct smc_err *err);

/**
 * netns_list_each() - do something in each of them, in this thread, and come back
 * @fn: 0; -errno with @err, and then it goes on with the next one; -EPIPE ends it
 *
 * setns(2) needs CAP_SYS_ADMIN here and over the namespace; the own one, which comes first, needs
 * nothing. Those that have gone since are left out in silence. Who entered a user namespace may
 * have no way back: later lists then count their own as any other's.
 *
 * Return: 0, also where some failed, which are in @list; -EPIPE; the failure of the caller's
 * namespace.
 */
int netns_list_each(struct netns_list *list,
		    int (*fn)(void *arg, const struct netns *netns, struct smc_err *err), void *arg,
		    struct smc_err *err);

/** netns_list_failure() - one sentence about @failed. Return: 0 for none, -EIO with @err */
int netns_list_failure(const struct netns_list *list, struct smc_err *err);

/** netns_list_hidden() - one sentence about what may not be seen; "" for nothing */
void netns_list_hidden(const struct netns_list *list, char *text, size_t size);

void netns_list_free(struct netns_list *list);
