// SPDX-License-Identifier: MIT
/*
 * Unit tests in one program: runs all, each in a process of its own, or the one whose name the
 * program is called by.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Declare main() of each test, see tests.mk: UNIT_TESTS is TEST(abi) TEST(advise) and so on. */
#define TEST(name) int test_##name(void);
UNIT_TESTS
#undef TEST

static const struct {
	const char *name;
	int (*run)(void);
} tests[] = {
#define TEST(name) { #name, test_##name },
	UNIT_TESTS
#undef TEST
};

#define N_TESTS (sizeof(tests) / sizeof(tests[0]))

/* Return: true if the test ended with status 0. */
static int passes(size_t i)
{
	int status = -1;
	pid_t pid;

	printf("# %s\n", tests[i].name);
	fflush(stdout);
	pid = fork();
	if (!pid)
		exit(tests[i].run());
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		printf("not ok 0 - %s does not end by itself\n", tests[i].name);
	return !status;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	int failed = 0;

	for (size_t i = 0; i < N_TESTS; i++)
		if (!strcmp(name, tests[i].name))
			return tests[i].run();
	for (size_t i = 0; i < N_TESTS; i++)
		failed |= !passes(i);
	return failed;
}
