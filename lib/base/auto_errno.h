/* SPDX-License-Identifier: MIT */
/* Keep errno in a scope, even in the preload library, which has its own close(2). */
#pragma once

#include <errno.h>

/** AUTO() - release by a function that takes the variable's address: AUTO(out_free) */
#define AUTO(release) __attribute__((cleanup(release), unused))

/** AUTO_ERRNO() - restore the present errno at the end of the scope */
#define AUTO_ERRNO() const int errno_here AUTO(auto_errno) = errno

static inline void auto_errno(const int *code)
{
	errno = *code;
}
