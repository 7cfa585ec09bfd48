/* SPDX-License-Identifier: MIT */
/* Allocation that ends the tool on failure: "TOOL: out of memory" on stderr, exit(3). Arrays. */
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

/** ARRAY_FREE() - define a function that frees the array @items of a struct and zeroes it */
#define ARRAY_FREE(name, tag, items)                                                               \
	static inline void name(struct tag *array)                                                 \
	{                                                                                          \
		free(array->items);                                                                \
		*array = (struct tag){ 0 };                                                        \
	}

/** smc_array_sort() - like qsort(3), but @items may be NULL if there are none */
#define smc_array_sort(items, count, compare)                                                      \
	((count) ? qsort((items), (count), sizeof(*(items)), (compare)) : (void)0)

/** smc_array_search() - like bsearch(3), but @items may be NULL if there are none */
#define smc_array_search(key, items, count, compare)                                               \
	((__typeof__(items))((count) ? bsearch((key), (items), (count), sizeof(*(items)),          \
					       (compare)) :                                        \
				       NULL))
