/* SPDX-License-Identifier: MIT */
/* Sizes of memory in words. */
#ifndef SMC_CHK_SIZE_H
#define SMC_CHK_SIZE_H

#include <stddef.h>

/** size_text() - "64 KiB", "4 MiB"; a size that is not a multiple of 1 KiB in bytes */
void size_text(char *text, size_t size, unsigned long long bytes);

#endif
