// SPDX-License-Identifier: MIT
/* Arrays that grow. */
#include "base/array.h"

#include "base/memory.h"

#define FIRST 16

void *smc_array_grow(void *items, size_t *count, size_t item_size)
{
	char *array;

	memcpy(&array, items, sizeof(array));
	/* The array is full at 0 items, and at each power of two from FIRST on. */
	if (!*count || (*count >= FIRST && !(*count & (*count - 1)))) {
		array = xrealloc(array, *count ? 2 * *count : FIRST, item_size);
		memcpy(items, &array, sizeof(array));
	}
	return memset(array + (*count)++ * item_size, 0, item_size);
}
