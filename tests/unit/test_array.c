// SPDX-License-Identifier: MIT
/* lib/smc/array: room for one more, and what is there when there is none. */
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"

static void grows(void **state)
{
	uint64_t *items = NULL;
	size_t size = 0;

	(void)state;
	for (size_t count = 0; count < 1000; count++) {
		items = smc_array_grow(items, count, &size, sizeof(*items));
		assert_non_null(items);
		assert_true(size > count && size < 2 * count + 32);
		items[count] = count;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	free(items);
}

static void fails(void **state)
{
	char *items = malloc(16);
	size_t size = 16;

	(void)state;
	items[15] = 'x';
	assert_null(smc_array_grow(items, 16, &size, SIZE_MAX / 4));
	assert_int_equal(size, 16);
	assert_ptr_equal(smc_array_grow(items, 15, &size, 1), items);
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
