// SPDX-License-Identifier: MIT
/* lib/base/array: growing arrays. */
#include "test.h"

#include "base/array.h"

TEST(grows)
{
	uint64_t *items = NULL;
	size_t size = 0, count = 0, old, grown = 0;

	for (size_t i = 0; i < 1000; i++) {
		uint64_t *item;

		old = size;
		item = smc_array_add(&items, &count, &size, sizeof(*items));
		assert_ptr_equal(item, items + i);
		assert_int_equal(*item, 0);
		assert_int_equal(count, i + 1);
		assert_true(size >= count);
		grown += size != old;
		*item = i + 1;
	}
	/* 16, 32 and so on. */
	assert_int_equal(grown, 7);
	assert_int_equal(size, 1024);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i + 1);
	free(items);
}
