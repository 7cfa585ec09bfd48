/* SPDX-License-Identifier: MIT */
/* Landlock (landlock(7), kernel 5.13): no file is opened, made or removed but below given paths. */
#pragma once

#include <stddef.h>

#include "base/err.h"

enum landlock_access {
	LANDLOCK_READ = 1 << 0,	 /* files and directories */
	LANDLOCK_WRITE = 1 << 1, /* write, make, rename and remove */
	LANDLOCK_EXECUTE = 1 << 2,
};

/**
 * struct landlock_path - what stays reachable
 * @path: a file, or a directory with all below it; links are followed
 * @access: enum landlock_access, or-ed
 */
struct landlock_path {
	const char *path;
	unsigned int access;
};

/**
 * landlock_restrict() - from now on only these paths, for the calling thread and its children
 *
 * Beforehand the process needs PR_SET_NO_NEW_PRIVS or CAP_SYS_ADMIN. What is open stays open.
 * Whoever owns a file is still asked too. Every right that the running kernel knows is handled.
 *
 * Return: 0; -ENOSYS or -EOPNOTSUPP where the kernel has no Landlock; -errno with a sentence in
 * @err when a path cannot be opened, or the kernel refuses.
 */
int landlock_restrict(const struct landlock_path *paths, size_t count, struct smc_err *err);
