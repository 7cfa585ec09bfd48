// SPDX-License-Identifier: MIT
/* lib/net/netns: invalid names, and entering a namespace by each kind of name. */
#include "child.h"

#include <sched.h>

#include "net/netns.h"

TEST(bad_names)
{
	static const struct {
		const char *name;
		int want;
		const char *text;
	} rows[] = {
		{ "", -EINVAL, "'' *name of a network namespace" },
		{ ".", -EINVAL, "'.' *name of a network namespace" },
		{ "..", -EINVAL, "'..' *name of a network namespace" },
		{ "no-such-netns", -ENOENT, "* namespace 'no-such-netns'" },
		{ "4999999", -ESRCH, "* namespace or process '4999999'" },
		{ "99999999999999999999", -ESRCH, "* namespace or process '99999999999999999999'" },
		{ "-1", -ENOENT, "* namespace '-1'" },
		{ "1x", -ENOENT, "* namespace '1x'" },
		{ "/no/such/file", -ENOENT, "* namespace '/no/such/file'" },
		{ "../no-such-run", -ENOENT, "* namespace '../no-such-run'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct smc_err err = { 0 };

		assert_int_equal(smc_netns_enter(rows[i].name, &err), rows[i].want);
		assert_like(err.text, rows[i].text);
	}
}

/* A file that is no namespace cannot be entered, not even by root. */
TEST(other_files)
{
	static const char *const paths[] = { "/dev/null", "/proc/self/status",
					     "/proc/self/ns/mnt" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct smc_err err = { 0 };
		int ret = smc_netns_enter(paths[i], &err);

		assert_true(ret == -EINVAL || ret == -EPERM);
		assert_int_equal(err.code, -ret);
		assert_non_null(strstr(err.text, paths[i]));
	}
}

TEST(long_name)
{
	struct smc_err err = { 0 };
	char name[5000];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(smc_netns_enter(name, &err), -ENAMETOOLONG);
	assert_int_equal(smc_netns_enter(NULL, &err), 0);
	assert_true(strlen(err.text) < 100);
}

static ino_t netns_now(void)
{
	struct stat info;

	return stat("/proc/self/ns/net", &info) ? 0 : info.st_ino;
}

/* Enter the namespace of the parent from a new one. */
static int enter_parent(const bool *by_path)
{
	const ino_t want = netns_now();
	struct smc_err err = { 0 };
	char name[64];

	snprintf(name, sizeof(name), *by_path ? "/proc/%d/ns/net" : "%d", (int)getppid());
	if (unshare(CLONE_NEWNET) || !want || netns_now() == want)
		return CHILD_CANNOT;
	return !smc_netns_enter(name, &err) && netns_now() == want && !err.code ? CHILD_RIGHT :
										  CHILD_WRONG;
}

static int enter_from_user_ns(const void *by_path)
{
	pid_t pid;
	int status;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return CHILD_CANNOT;
	pid = fork();
	if (!pid)
		_exit(enter_parent(by_path));
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
		       WEXITSTATUS(status) :
		       CHILD_WRONG;
}

TEST(by_pid)
{
	in_child(enter_from_user_ns, &(const bool){ false });
}

TEST(by_path)
{
	in_child(enter_from_user_ns, &(const bool){ true });
}

/* Without rights over a namespace it cannot be entered, not even the current one. */
static int refused_without_rights(const void *arg __attribute__((unused)))
{
	static const char want[] = "cannot enter *'/proc/self/ns/net': Operation not permitted";
	struct smc_err err = { 0 };

	if (unshare(CLONE_NEWUSER))
		return CHILD_CANNOT;
	return smc_netns_enter("/proc/self/ns/net", &err) == -EPERM && err.code == EPERM &&
			       is_like(err.text, want) ?
		       CHILD_RIGHT :
		       CHILD_WRONG;
}

TEST(no_rights)
{
	in_child(refused_without_rights, NULL);
}
