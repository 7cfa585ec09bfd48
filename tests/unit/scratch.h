/* SPDX-License-Identifier: MIT */
/* A directory of its own for each test: made of a name that ends in XXXXXX, removed as a whole. */
#pragma once

#include "test.h"

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* @name: overwritten, so that the next test gets another one. Return: whether it was made. */
static inline bool scratch_make(char *name)
{
	strcpy(name + strlen(name) - 6, "XXXXXX");
	return mkdtemp(name);
}

static inline int scratch_remove_one(const char *path, const struct stat *st, int type,
				     struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

/* Return: 0, as a tear-down does. */
static inline int scratch_remove(const char *name)
{
	return nftw(name, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
