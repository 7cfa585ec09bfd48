/* SPDX-License-Identifier: MIT */
/* What only a process of its own may do: leave a namespace, take a filter of system calls. */
#pragma once

#include "test.h"

#include <unistd.h>
#include <sys/wait.h>

enum { CHILD_RIGHT, CHILD_WRONG, CHILD_CANNOT };

/* The test in a child; one that cannot be made here is skipped. */
static inline void in_child(int (*test)(const void *arg), const void *arg)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(test(arg));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CHILD_CANNOT)
		skip();
	assert_int_equal(WEXITSTATUS(status), CHILD_RIGHT);
}
