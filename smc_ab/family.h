/* SPDX-License-Identifier: MIT */
/* Descendants of a process, from /proc (proc(5)). */
#pragma once

#include "base/libc.h"

/** struct family - processes, in no order; zero-initialize, free @pids */
struct family {
	pid_t *pids;
	size_t count;
};

/**
 * family_add() - add all descendants of a process, but not itself, to an empty family
 *
 * Reads /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN). Processes that start or end during the
 * scan may be missing.
 */
void family_add(struct family *family, pid_t root);
