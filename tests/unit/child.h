/* SPDX-License-Identifier: MIT */
/* What only a process of its own may do: leave a namespace, take a filter of system calls. */
#pragma once

#include "test.h"

#include <stdbool.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

/* No more memory for this child. Return: false in an emulator, which sets no such limit. */
static inline bool child_no_more_memory(void)
{
	const struct rlimit none = { 1, RLIM_INFINITY };
	void *page;

	setrlimit(RLIMIT_AS, &none);
	page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return page == MAP_FAILED;
}
