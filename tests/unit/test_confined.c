// SPDX-License-Identifier: MIT
/* Who denies SMC sockets, on recorded hosts. */
#include "scratch.h"
#include "test.h"

#include "host/smc.h"
#include "process/confined.h"

static char root[] = "/tmp/smc-confined.XXXXXX";

FIXTURE(start)
{
	return !scratch_make(root) || setenv("SMC_TOOLS_ROOT", root, 1);
}

FIXTURE(end)
{
	unsetenv("SMC_TOOLS_ROOT");
	return scratch_remove(root);
}

static void put(const char *path, const char *text)
{
	assert_true(scratch_put(root, path, text, strlen(text)));
}

TEST(answers)
{
	static const struct {
		const char *answer;
		int ret;
		const char *why;
	} cases[] = {
		{ "0\n", 0, "" },
		{ "-3\n", -ESRCH, "" },
		{ "1\nSELinux denies smc_socket to redis_t", 1,
		  "SELinux denies smc_socket to redis_t" },
		{ "x", -EBADMSG, "" },
	};
	char why[HOST_PROBE_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put("/probes/confined-x_service", cases[i].answer);
		put("/probes/confined", cases[i].answer);
		assert_int_equal(confined_unit("x.service", NULL, false, why), cases[i].ret);
		assert_string_equal(why, cases[i].why);
		assert_int_equal(confined_own(why), cases[i].ret == 1);
		assert_string_equal(why, cases[i].why);
	}
}

/* A unit without a process, and one whose process nobody confines or cannot be asked about. */
TEST(units)
{
	static char text[] = "MainPID=0";
	const struct unit_props stopped = { text, sizeof(text) };
	char why[HOST_PROBE_SIZE];

	unsetenv("SMC_TOOLS_ROOT");
	assert_int_equal(confined_unit("x.service", &stopped, false, why), -ESRCH);
	assert_false(confined_process(INT_MAX, false, why));
	assert_false(confined_process(INT_MAX, true, why));
	setenv("SMC_TOOLS_ROOT", root, 1);
}

TEST(why_not)
{
	struct smc_err err;

	put("/probes/socket-af_smc", "-97\n");
	assert_string_equal(smc_missing(), SMC_MISSING);
	assert_int_equal(kernel_why_not(-EAFNOSUPPORT, &err), -EAFNOSUPPORT);
	assert_non_null(strstr(err.text, "this kernel has"));
	assert_int_equal(kernel_why_not(-EMFILE, &err), -EMFILE);
	assert_non_null(strstr(err.text, strerror(EMFILE)));
	/* EACCES never means a kernel without SMC. */
	assert_int_equal(kernel_why_not(-EACCES, &err), -EACCES);
	assert_string_equal(err.text, SMC_DENIED);
}

static struct fixture fixture = { .setup = start, .teardown = end };
