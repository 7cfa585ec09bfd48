/* SPDX-License-Identifier: MIT */
/* The processes that a process has started, from /proc (proc(5)). */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/** struct family - processes, in no order; begin with all zero */
struct family {
	pid_t *pids;
	size_t count, size;
};

/**
 * family_add() - add the children of a process, theirs, and so on, not itself
 *
 * Read from /proc/PID/task/TID/children where the kernel has that (CONFIG_PROC_CHILDREN), and else
 * from the parents of all processes. Processes that come or go meanwhile may be missing.
 *
 * Return: 0, -errno when there is no /proc.
 */
int family_add(struct family *family, pid_t root);

void family_free(struct family *family);
