/* SPDX-License-Identifier: MIT */
/* The sysfs trees of tests/sysfs, which make builds; read-only. */
#pragma once

#include "test.h"

/* Directory of the recorded trees, s390 and x86. Other names are hosts without devices. */
static inline const char *trees_root(void)
{
	static char path[PATH_MAX - 64];
	const char *build = getenv("BUILD");

	snprintf(path, sizeof(path), "%s/tests/hosts", build ? build : "build");
	return path;
}

/* Path of a sysfs, overwritten by the next call. */
static inline const char *tree_path(const char *tree)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/sys", trees_root(), tree);
	return path;
}
