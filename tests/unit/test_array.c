// SPDX-License-Identifier: MIT
/* lib/base/array: growing arrays. */
#include "test.h"

#include <malloc.h>

#include "base/array.h"

TEST(grows)
{
	uint64_t *items = NULL;
	size_t count = 0;

	for (size_t i = 0; i < 1000; i++) {
		uint64_t *item = smc_array_add(&items, &count);

		assert_ptr_equal(item, items + i);
		assert_int_equal(*item, 0);
		assert_int_equal(count, i + 1);
		assert_true(malloc_usable_size(items) >= count * sizeof(*items));
		*item = i + 1;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i + 1);
	/* Fewer items, and then more. */
	count = 20;
	while (count < 40)
		*smc_array_add(&items, &count) = 1;
	assert_true(malloc_usable_size(items) >= count * sizeof(*items));
	count = 0;
	*smc_array_add(&items, &count) = 2;
	assert_int_equal(items[0], 2);
	free(items);
}
