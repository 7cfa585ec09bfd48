// SPDX-License-Identifier: MIT
/* Arrays that grow. */
#include "base/array.h"

#include <stdlib.h>

void *smc_array_grow(void *items, size_t count, size_t *size, size_t item_size)
{
	size_t more = *size ? 2 * *size : 16;
	void *grown;

	if (count < *size)
		return items;
	grown = reallocarray(items, more, item_size);
	if (grown)
		*size = more;
	return grown;
}
