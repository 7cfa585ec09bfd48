/* SPDX-License-Identifier: MIT */
/* Did memory run out? For every allocation of the process: ours, libc's, those of libraries. */
#pragma once

#include <stdbool.h>

/* gcc has a macro for that, clang a feature. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define MEMORY_IS_ASAN 1
#endif

/**
 * memory_ran_out() - has an allocation failed in this process, whoever asked for it?
 *
 * Then something may be missing wherever NULL also means "absent", and libraries may have taken it
 * for another error: nothing is printed any more but this, and the tool fails.
 *
 * With ASan, which has an allocator of its own, never.
 */
bool memory_ran_out(void);

/** memory_is_news() - the same, but true only the first time: one sentence says it */
bool memory_is_news(void);
