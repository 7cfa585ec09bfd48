// SPDX-License-Identifier: MIT
/* lib/base/memory: allocate, or print one line and exit. */
#include "child.h"

#include "base/memory.h"

/* As in smc_run. */
const int memory_status = 125;

/* With SAN=1 an oversized allocation ends the program. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

TEST(gives)
{
	int *zeros = xcalloc(3, sizeof(*zeros));
	volatile size_t zero = 0; /* compilers warn about an allocation of 0 bytes */
	char *none = xcalloc(zero, 8), *words = xstrdup("words"), *word = xstrndup("words", 4),
	     *text = xprintf("%s %d", word, 5);

	assert_int_equal(zeros[0] | zeros[1] | zeros[2], 0);
	zeros[2] = 7;
	zeros = xrealloc(zeros, 1000, sizeof(*zeros));
	assert_int_equal(zeros[2], 7);
	assert_non_null(none);
	none = xrealloc(none, 0, 8);
	assert_non_null(none);
	assert_string_equal(words, "words");
	assert_string_equal(text, "word 5");
	free(zeros);
	free(none);
	free(words);
	free(word);
	free(text);
}

/* @arg: the case; the line goes to a pipe. */
static int runs_out(const void *arg)
{
	static char line[100], want[100], *at;
	volatile size_t size = SIZE_MAX / 2, count = 3;
	int ends[2], status;
	ssize_t len;
	pid_t pid;

	if (pipe(ends))
		return CHILD_CANNOT;
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		if (*(const char *)arg == 'c')
			xcalloc(count, size);
		xrealloc(NULL, count, size);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	len = read(ends[0], line, sizeof(line) - 1);
	snprintf(want, sizeof(want), "%s: out of memory\n", program_invocation_short_name);
	at = len > 0 ? strstr(line, program_invocation_short_name) : NULL;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 125 && at && !strcmp(at, want))
		return CHILD_RIGHT;
	return CHILD_WRONG;
}

TEST(ends)
{
	in_child(runs_out, "calloc");
	in_child(runs_out, "realloc");
}
