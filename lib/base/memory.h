/* SPDX-License-Identifier: MIT */
/* Allocation that ends the tool on failure: "TOOL: out of memory" on stderr, and exit(3). */
#pragma once

#include "base/libc.h"

/** memory_status - exit status, defined by programs whose error status is not 1 */
extern const int memory_status __attribute__((weak));

/** memory_end() - end the tool as if an allocation had failed */
void memory_end(void) __attribute__((noreturn, cold));

/** xcalloc() - like calloc(3), never NULL: 0 bytes count as 1 */
void *xcalloc(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));

/** xrealloc() - like reallocarray(3), never NULL: 0 bytes count as 1 */
void *xrealloc(void *data, size_t count, size_t size) __attribute__((alloc_size(2, 3)));

/** xstrndup() - like strndup(3), never NULL */
char *xstrndup(const char *text, size_t len) __attribute__((malloc));

/** xstrdup() - like strdup(3), never NULL */
char *xstrdup(const char *text) __attribute__((malloc));

/** xprintf() - text made by printf(3), to be freed */
char *xprintf(const char *fmt, ...) __attribute__((malloc, format(printf, 1, 2)));
