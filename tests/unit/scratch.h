/* SPDX-License-Identifier: MIT */
/* A directory per test: created from a template ending in XXXXXX, removed with its content. */
#pragma once

#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* @name: overwritten with another name for each test. Return: true if it was created. */
static inline bool scratch_make(char *name)
{
	strcpy(name + strlen(name) - 6, "XXXXXX");
	return mkdtemp(name);
}

/* Write a file below @root, creating its directories. Return: true for success. */
static inline bool scratch_put(const char *root, const char *path, const void *bytes, size_t len)
{
	char full[PATH_MAX];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(full, 0755);
	}
	file = fopen(full, "w");
	return file && fwrite(bytes, 1, len, file) == len && !fclose(file);
}

static inline int scratch_remove_one(const char *path, const struct stat *st, int type,
				     struct FTW *where)
{
	return remove(path);
}

/* Return: 0, as a tear-down function. */
static inline int scratch_remove(const char *name)
{
	return nftw(name, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
