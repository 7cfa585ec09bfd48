/* SPDX-License-Identifier: MIT */
/* The sysfs trees of tests/sysfs in a directory of their own: set-up and tear-down of a program. */
#pragma once

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

/* Below it are s390 and x86; other names are hosts without devices. */
static char trees_root[] = "/tmp/smc-tools-trees-XXXXXX";

static inline int trees_build(void **state)
{
	char command[512];

	(void)state;
	if (!mkdtemp(trees_root))
		return -1;
	snprintf(command, sizeof(command),
		 "sh tests/sysfs/s390 %s/s390 && sh tests/sysfs/x86 %s/x86", trees_root,
		 trees_root);
	return system(command);
}

static inline int trees_wipe(void **state)
{
	char command[512];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", trees_root);
	return system(command);
}

/* The path of a tree, which the next call overwrites. */
static inline const char *tree_path(const char *tree)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", trees_root, tree);
	return path;
}
