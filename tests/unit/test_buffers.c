// SPDX-License-Identifier: MIT
/* lib/smc/buffer_sizes and SMC_RCVBUF: size of buffers, and number of sockets. */
#include "test.h"

#include "launch/variables.h"
#include "smc/buffer_sizes.h"

#define GIB (1ULL << 30)

/* Maximum memory of a program's sockets, with two buffers each. */
static unsigned long long most(unsigned long long memory)
{
	int size = smc_good_buffer(memory);

	return 2ULL * (unsigned int)size * (unsigned int)smc_good_sockets(memory, size);
}

TEST(an_eighth_of_the_memory)
{
	/* The kernel reserves some memory, so it reports less. */
	for (unsigned long long memory = GIB; memory < 4096 * GIB; memory += memory / 7) {
		assert_true(most(memory) <= memory / 8 + memory / 32);
		assert_true(most(memory) >= memory / 16);
		assert_true(smc_good_sockets(memory, smc_good_buffer(memory)) >= 256);
	}
	/* The limit for unprivileged users is no power of two: the kernel rounds it. */
	assert_int_equal(smc_good_sockets(3 * GIB, 212992), smc_good_sockets(3 * GIB, 262144));
	assert_int_equal(smc_good_sockets(ULLONG_MAX / 2, 1), 1 << 20);
}

TEST(values)
{
	static const struct {
		const char *text;
		int ret, bytes, below;
	} cases[] = {
		{ "64K", 0, 65536, INT_MAX }, { "64K:8", 0, 65536, 8 },
		{ "0:8", 0, 0, 8 },	      { "9:1k", 0, 9, 1024 },
		{ "64K:0", 0, 65536, 0 },     { "64:", -EINVAL, 7, 7 },
		{ ":64", -EINVAL, 7, 7 },     { "64:8:1", -EINVAL, 7, 7 },
		{ "64:x", -EINVAL, 7, 7 },    { "64kk:8", -EINVAL, 7, 7 },
		{ "4096m:8", -ERANGE, 7, 7 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct smc_buffer got = { 7, 7 };
		int bytes;

		assert_int_equal(smc_parse_buffer(cases[i].text, &got), cases[i].ret);
		assert_int_equal(got.bytes, cases[i].bytes);
		assert_int_equal(got.below, cases[i].below);
		assert_int_equal(smc_parse_size(cases[i].text, &bytes), i ? -EINVAL : 0);
	}
}

TEST(sockets_with_the_buffer)
{
	const struct smc_buffer all = { 65536, INT_MAX }, some = { 65536, 256 };

	assert_int_equal(smc_buffer_of(&all, 100000), 65536);
	assert_int_equal(smc_buffer_of(&some, 255), 65536);
	assert_int_equal(smc_buffer_of(&some, 256), 0);
	assert_true(smc_buffer_fits(&all, ULLONG_MAX) && smc_buffer_fits(&some, 1024));
	assert_false(smc_buffer_fits(&some, 1028) || smc_buffer_fits(&some, ULLONG_MAX));
}
