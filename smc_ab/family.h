/* SPDX-License-Identifier: MIT */
/* The processes that a process has started, from /proc (proc(5)). */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/** struct family - processes, in no order; begin with all zero, free @pids */
struct family {
	pid_t *pids;
	size_t count, size;
};

/**
 * family_add() - add the children of a process, theirs, and so on, not itself, to an empty family
 *
 * Read from /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN). Processes that come or go meanwhile
 * may be missing.
 */
void family_add(struct family *family, pid_t root);
