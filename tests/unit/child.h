/* SPDX-License-Identifier: MIT */
/* Run tests in a child process, as for namespaces and filters of system calls. */
#pragma once

#include "test.h"

enum { CHILD_RIGHT, CHILD_WRONG, CHILD_CANNOT };

/* Run the test in a child; skip it if the child cannot be set up. */
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
