// SPDX-License-Identifier: MIT
/* lib/sys/netns: names that mean nothing. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "sys/netns.h"

static void bad_names(void **state)
{
	static const struct {
		const char *name;
		int want;
		const char *text;
	} rows[] = {
		{ "", -EINVAL, "'' is not the name of a network namespace" },
		{ ".", -EINVAL, "'.' is not the name of a network namespace" },
		{ "..", -EINVAL, "'..' is not the name of a network namespace" },
		{ "no-such-netns", -ENOENT, "there is no network namespace 'no-such-netns'" },
		{ "4999999", -ESRCH,
		  "there is no network namespace '4999999' and no such process" },
		{ "99999999999999999999", -ESRCH,
		  "there is no network namespace '99999999999999999999' and no such process" },
		{ "-1", -ENOENT, "there is no network namespace '-1'" },
		{ "1x", -ENOENT, "there is no network namespace '1x'" },
		{ "/no/such/file", -ENOENT, "there is no network namespace '/no/such/file'" },
		{ "../no-such-run", -ENOENT, "there is no network namespace '../no-such-run'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct smc_err err = { 0 };

		assert_int_equal(smc_netns_enter(rows[i].name, &err), rows[i].want);
		assert_string_equal(err.text, rows[i].text);
	}
}

/* A file that is no namespace: nobody gets in, root neither. */
static void other_files(void **state)
{
	static const char *const paths[] = { "/dev/null", "/proc/self/status",
					     "/proc/self/ns/mnt" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct smc_err err = { 0 };
		int ret = smc_netns_enter(paths[i], &err);

		assert_true(ret == -EINVAL || ret == -EPERM);
		assert_int_equal(err.code, -ret);
		assert_non_null(strstr(err.text, paths[i]));
	}
}

static void long_name(void **state)
{
	struct smc_err err = { 0 };
	char name[5000];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(smc_netns_enter(name, &err), -ENAMETOOLONG);
	assert_true(strlen(err.text) < 100);
}

/* The own one by process id and by path: root gets in, others are told why not. */
static void own(void **state)
{
	char pid[32];
	const char *const names[] = { pid, "/proc/self/ns/net" };

	(void)state;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct smc_err err = { 0 };
		int ret = smc_netns_enter(names[i], &err);

		if (ret)
			assert_int_equal(ret, -EPERM);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_names), cmocka_unit_test(other_files),
		cmocka_unit_test(long_name), cmocka_unit_test(own),
	};

	return cmocka_run_group_tests_name("netns", tests, NULL, NULL);
}
