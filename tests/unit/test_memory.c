// SPDX-License-Identifier: MIT
/* lib/base/memory: an allocation that fails is marked, and a reserve gives what it has. */
#include "child.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/memory.h"

/* libc has to ask the kernel for it; the reserve has two of them. */
#define LARGE ((size_t)200 * 1024)

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                    \
			return CHILD_WRONG;                                                        \
		}                                                                                  \
	} while (0)

static bool is_all(const char *data, size_t len, char c)
{
	while (len && data[len - 1] == c)
		len--;
	return !len;
}

static int too_large(const void *arg)
{
	volatile size_t size = SIZE_MAX - 65536, count = SIZE_MAX / 2;

	(void)arg;
	CHECK(!memory_ran_out() && !memory_is_news());
	free(realloc(malloc(10), 0)); /* musl keeps something */
	CHECK(!memory_ran_out());
	errno = 0;
	CHECK(!malloc(size) && errno == ENOMEM);
	CHECK(memory_ran_out());
	CHECK(memory_is_news() && !memory_is_news() && memory_ran_out());
	CHECK(!calloc(count, 3));
	CHECK(!realloc(NULL, size));
	return CHILD_RIGHT;
}

static int served(const void *arg)
{
	char *small = malloc(1000), *first, *second;

	(void)arg;
	memset(small, 'x', 1000);
	if (!child_no_more_memory())
		return CHILD_CANNOT;
	first = realloc(small, LARGE);
	CHECK(first && is_all(first, 1000, 'x'));
	CHECK(memory_ran_out());
	memset(first, 'y', LARGE);
	second = calloc(LARGE / 8, 8);
	CHECK(second && second != first && is_all(second, LARGE, '\0'));
	CHECK(!(((uintptr_t)first | (uintptr_t)second) % _Alignof(max_align_t)));
	memset(second, 'z', LARGE);
	CHECK(is_all(first, LARGE, 'y'));
	CHECK(!malloc(LARGE) && !realloc(second, LARGE + 1)); /* it is used up */
	CHECK(is_all(second, LARGE, 'z'));
	CHECK(malloc(LARGE / 4)); /* not quite */
	small = realloc(first, 100);
	CHECK(small && is_all(small, 100, 'y'));
	free(small);
	return CHILD_RIGHT;
}

/* Directories are opened one after the other: each has the place of the one before. */
static int again(const void *arg)
{
	char *kept, *data;

	(void)arg;
	if (!child_no_more_memory())
		return CHILD_CANNOT;
	kept = malloc(LARGE);
	CHECK(kept);
	memset(kept, 'k', LARGE);
	for (int i = 0; i < 10; i++) {
		data = calloc(LARGE, 1);
		CHECK(data && is_all(data, LARGE, '\0'));
		memset(data, 'd', LARGE);
		free(data);
	}
	data = malloc(LARGE);
	free(kept); /* not the last one */
	memset(data, 'd', LARGE);
	CHECK(!malloc(LARGE));
	CHECK(is_all(data, LARGE, 'd'));
	return CHILD_RIGHT;
}

static int plenty(const void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++) {
		char *data = calloc(100, 10), *grown = realloc(data, LARGE);

		CHECK(grown && is_all(grown, 1000, '\0'));
		free(grown);
	}
	free(NULL);
	CHECK(!memory_ran_out() && !memory_is_news());
	return CHILD_RIGHT;
}

static void run(void **state)
{
#ifdef MEMORY_IS_ASAN
	skip();
#endif
	in_child(*state, NULL);
}

#define TEST(name)                                                                                 \
	{                                                                                          \
#name, run, NULL, NULL, name                                                       \
	}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(plenty), TEST(too_large), TEST(served),
					    TEST(again) };

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
