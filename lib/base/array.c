// SPDX-License-Identifier: MIT
/* Arrays that grow. */
#include "base/array.h"

#include <string.h>

#include "base/memory.h"

void *smc_array_add(void *items, size_t *count, size_t *size, size_t item_size)
{
	size_t more = *size ? 2 * *size : 16;
	char *array;

	memcpy(&array, items, sizeof(array));
	if (*count == *size) {
		array = xrealloc(array, more, item_size);
		memcpy(items, &array, sizeof(array));
		*size = more;
	}
	return memset(array + (*count)++ * item_size, 0, item_size);
}

void smc_array_append(void *items, size_t *count, size_t *size, const void *item, size_t item_size)
{
	memcpy(smc_array_add(items, count, size, item_size), item, item_size);
}
