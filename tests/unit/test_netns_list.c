// SPDX-License-Identifier: MIT
/* lib/net/netns_list: visit every namespace once, and report those that fail. */
#include "child.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>

#include "net/netns_list.h"
#include "process/ask.h"
#include "process/program.h"
#include "process/self.h"

#define COUNT 40

/* Replaces tool_ask() of lib/process: the program is not beside this test. */
int tool_ask(const char *name, const char *command, const char *option, const char *value,
	     char **text, struct smc_err *err)
{
	char path[PATH_MAX];
	char *argv[] = { path, NULL };
	size_t size;

	strcpy(path + self_directory(path), "../../");
	strcat(path, name);
	return program_run(argv, text, &size);
}

static uint64_t now(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) ? 0 : st.st_ino;
}

/** struct made - children of the test: @pids in namespaces of their own, @inodes */
struct made {
	pid_t pids[COUNT];
	uint64_t inodes[COUNT];
	size_t seen[COUNT], others;
	int fail_at;
	struct netns_list *stops; /* if set, the walk ends at @fail_at */
};

/* Return: a process in a new namespace, which ends with its parent. */
static pid_t start_one(uint64_t *inode)
{
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		*inode = unshare(CLONE_NEWNET) ? 0 : now();
		if (write(ready[1], inode, sizeof(*inode)) == sizeof(*inode))
			pause();
		_exit(1);
	}
	if (read(ready[0], inode, sizeof(*inode)) != sizeof(*inode) || !*inode)
		pid = -1;
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static int start(struct made *made)
{
	for (size_t i = 0; i < COUNT; i++) {
		made->pids[i] = start_one(&made->inodes[i]);
		if (made->pids[i] < 0)
			return -1;
	}
	return 0;
}

static int visit(void *arg, const struct netns *netns, struct smc_err *err)
{
	struct made *made = arg;
	uint64_t here = now();

	if (here != netns->inode)
		return smc_err_say(err, EPROTO, "in another one");
	for (size_t i = 0; i < COUNT; i++) {
		if (made->inodes[i] != here)
			continue;
		made->seen[i]++;
		if (made->stops)
			made->stops->is_stopped = (int)i == made->fail_at;
		return (int)i == made->fail_at ? smc_err_say(err, ENODATA, "it broke") : 0;
	}
	made->others++;
	return 0;
}

/* A user namespace that allows entering the new namespaces, also to programs started in it. */
static bool become_root(void)
{
	char line[64];
	int fd, len = snprintf(line, sizeof(line), "0 %u 1", (unsigned int)geteuid());
	bool is_done;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return false;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	is_done = write(fd, line, (size_t)len) == len;
	close(fd);
	return is_done;
}

static int run_all(struct made *made, struct netns_list *list, struct smc_err *err)
{
	*made = (struct made){ .fail_at = -1 };
	if (!become_root() || start(made) || netns_list_load(list, err))
		return CHILD_CANNOT;
	return CHILD_RIGHT;
}

static int each_once(const void *arg __attribute__((unused)))
{
	struct netns_list list;
	struct smc_err err = { 0 };
	struct made made;
	uint64_t home;
	int ret = run_all(&made, &list, &err);

	if (ret)
		return ret;
	home = now();
	if (!list.entries[0].is_own || list.entries[0].inode != home)
		return CHILD_WRONG;
	/* One namespace ends between two listings. */
	kill(made.pids[3], SIGKILL);
	waitpid(made.pids[3], NULL, 0);
	if (netns_list_each(&list, visit, &made, &err) || list.failed || now() != home)
		return CHILD_WRONG;
	for (size_t i = 0; i < COUNT; i++)
		if (made.seen[i] != (i != 3))
			return CHILD_WRONG;
	/* Namespaces of the machine are listed, but cannot be entered. */
	ret = made.others == 1 && list.denied + COUNT + 1 == list.count ? CHILD_RIGHT : CHILD_WRONG;
	netns_list_free(&list);
	return ret;
}

static int one_fails(const void *arg __attribute__((unused)))
{
	struct netns_list list;
	struct smc_err err = { 0 };
	struct made made;
	char want[200];
	int ret = run_all(&made, &list, &err);

	if (ret)
		return ret;
	made.fail_at = 5;
	if (netns_list_each(&list, visit, &made, &err) || list.failed != 1 || !made.seen[COUNT - 1])
		return CHILD_WRONG;
	err.code = 0;
	if (netns_list_failure(&list, &err) != -EIO)
		return CHILD_WRONG;
	snprintf(want, sizeof(want), "1 of %zu network namespaces *: it broke*", list.count);
	ret = is_like(err.text, want) ? CHILD_RIGHT : CHILD_WRONG;
	netns_list_free(&list);
	return ret;
}

static int one_stops(const void *arg __attribute__((unused)))
{
	struct netns_list list;
	struct smc_err err = { 0 };
	struct made made;
	int ret = run_all(&made, &list, &err);

	if (ret)
		return ret;
	made.fail_at = 5;
	made.stops = &list;
	if (netns_list_each(&list, visit, &made, &err) != -ENODATA || list.failed)
		return CHILD_WRONG;
	netns_list_free(&list);
	return CHILD_RIGHT;
}

TEST(all)
{
	in_child(each_once, NULL);
}

TEST(failing)
{
	in_child(one_fails, NULL);
}

TEST(stopping)
{
	in_child(one_stops, NULL);
}

TEST(sentences)
{
	struct netns_list list = { .count = 12 };
	struct smc_err err = { 0 };
	char text[200];

	assert_int_equal(netns_list_failure(&list, &err), 0);
	netns_list_hidden(&list, text, sizeof(text));
	assert_string_equal(text, "");
	list.denied = 2;
	netns_list_hidden(&list, text, sizeof(text));
	assert_like(text, "only network namespaces *: 10 of 12");
	list.hidden = 300;
	netns_list_hidden(&list, text, sizeof(text));
	assert_like(text, "only network namespaces *: 10 of 12, and *300 processes *");
}

TEST(recorded)
{
	struct netns_list list;
	struct smc_err err = { 0 };

	setenv("SMC_TOOLS_ROOT", "/", 1);
	assert_int_equal(netns_list_load(&list, &err), -EROFS);
	unsetenv("SMC_TOOLS_ROOT");
	assert_like(err.text, "a recorded host *one network namespace");
}
