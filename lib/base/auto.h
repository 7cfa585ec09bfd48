/* SPDX-License-Identifier: MIT */
/* Variables that release what they hold at the end of their scope. Initialize each. */
#pragma once

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/auto_errno.h"

/** AUTO_FREE - a pointer from malloc(3) */
#define AUTO_FREE AUTO(auto_free)

/** AUTO_CLOSE - a file descriptor, or a negative number; keeps errno */
#define AUTO_CLOSE AUTO(auto_close)

/** AUTO_CLOSEDIR - a DIR, or NULL */
#define AUTO_CLOSEDIR AUTO(auto_closedir)

static inline void auto_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void auto_close(const int *fd)
{
	AUTO_ERRNO();

	if (*fd >= 0)
		close(*fd);
}

static inline void auto_closedir(DIR *const *dir)
{
	if (*dir)
		closedir(*dir);
}
