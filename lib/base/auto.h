/* SPDX-License-Identifier: MIT */
/* Variables that release what they hold at the end of their scope. Initialize each. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/** AUTO() - release by a function that takes the variable's address: AUTO(out_free) */
#define AUTO(release) __attribute__((cleanup(release), unused))

/** AUTO_FREE - a pointer from malloc(3) */
#define AUTO_FREE AUTO(auto_free)

/** AUTO_CLOSE - a file descriptor, or a negative number; keeps errno */
#define AUTO_CLOSE AUTO(auto_close)

/** AUTO_CLOSEDIR - a DIR, or NULL */
#define AUTO_CLOSEDIR AUTO(auto_closedir)

/** AUTO_ERRNO() - declare that errno at the end of the scope is the one of here */
#define AUTO_ERRNO() const int errno_here AUTO(auto_errno) = errno

static inline void auto_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void auto_errno(const int *code)
{
	errno = *code;
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
