// SPDX-License-Identifier: MIT
/* lib/base/array: room for one more, and what is there when there is none. */
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"

/* With SAN=1, too, memory that cannot be had is the caller's matter. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void grows(void **state)
{
	uint64_t *items = NULL;
	size_t size = 0, count = 0, old, grown = 0;

	(void)state;
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

static void fails(void **state)
{
	char *items = malloc(16);
	char *const old = items;
	size_t size = 16, count = 16;

	(void)state;
	items[15] = 'x';
	assert_null(smc_array_add(&items, &count, &size, SIZE_MAX / 4));
	assert_int_equal(size, 16);
	assert_int_equal(count, 16);
	assert_ptr_equal(items, old);
	assert_int_equal(items[15], 'x');
	count = 14;
	assert_ptr_equal(smc_array_add(&items, &count, &size, 1), old + 14);
	assert_ptr_equal(items, old);
	assert_int_equal(items[15], 'x');
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),
		cmocka_unit_test(fails),
	};

	return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
