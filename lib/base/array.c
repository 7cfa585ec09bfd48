// SPDX-License-Identifier: MIT
/* Arrays that grow. */
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *smc_array_add(void *items, size_t *count, size_t *size, size_t item_size)
{
	size_t more = *size ? 2 * *size : 16;
	char *array;

	memcpy(&array, items, sizeof(array));
	if (*count == *size) {
		array = reallocarray(array, more, item_size);
		if (!array)
			return NULL;
		memcpy(items, &array, sizeof(array));
		*size = more;
	}
	return memset(array + (*count)++ * item_size, 0, item_size);
}

int smc_array_append(void *items, size_t *count, size_t *size, const void *item, size_t item_size)
{
	void *added = smc_array_add(items, count, size, item_size);

	if (!added)
		return -ENOMEM;
	memcpy(added, item, item_size);
	return 0;
}
