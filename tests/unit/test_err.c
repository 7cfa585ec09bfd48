// SPDX-License-Identifier: MIT
/* lib/base/err: messages, and their truncation. */
#include "test.h"

#include "base/err.h"

TEST(sentences)
{
	struct smc_err err;

	assert_int_equal(smc_err_set(&err, EPERM, "cannot enter '%s'", "blue"), -EPERM);
	assert_int_equal(err.code, EPERM);
	assert_string_equal(err.text, "cannot enter 'blue': Operation not permitted");
	assert_int_equal(smc_err_say(&err, EINVAL, "%d is odd", 3), -EINVAL);
	assert_int_equal(err.code, EINVAL);
	assert_string_equal(err.text, "3 is odd");
}

TEST(without_an_error_struct)
{
	assert_int_equal(smc_err_set(NULL, ENOMEM, "%s", "text"), -ENOMEM);
	assert_int_equal(smc_err_say(NULL, ENOENT, "%s", "text"), -ENOENT);
}

/* Truncated at the size, not before, and terminated. */
static void check_cut(const char *text, const char *whole)
{
	struct smc_err err;
	const size_t room = sizeof(err.text) - 1, len = strlen(whole);

	assert_int_equal(strlen(text), len < room ? len : room);
	assert_memory_equal(text, whole, strlen(text));
}

TEST(long_texts)
{
	struct {
		struct smc_err err;
		char guard[8];
	} s = { .guard = "guarded" };
	char text[2 * sizeof(s.err.text) + 1], whole[sizeof(text) + 32];

	for (size_t len = sizeof(s.err.text) - 40; len < sizeof(text) - 1; len++) {
		memset(text, 'x', len);
		text[len] = '\0';
		snprintf(whole, sizeof(whole), "%s: Operation not permitted", text);
		smc_err_set(&s.err, EPERM, "%s", text);
		check_cut(s.err.text, whole);
		smc_err_say(&s.err, EPERM, "%s", text);
		check_cut(s.err.text, text);
		assert_string_equal(s.guard, "guarded");
	}
}
