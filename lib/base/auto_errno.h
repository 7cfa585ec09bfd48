/* SPDX-License-Identifier: MIT */
/* errno that a scope keeps, also in the preload library, whose close(2) is its own. */
#pragma once

#include <errno.h>

/** AUTO() - release by a function that takes the variable's address: AUTO(out_free) */
#define AUTO(release) __attribute__((cleanup(release), unused))

/** AUTO_ERRNO() - declare that errno at the end of the scope is the one of here */
#define AUTO_ERRNO() const int errno_here AUTO(auto_errno) = errno

static inline void auto_errno(const int *code)
{
	errno = *code;
}
