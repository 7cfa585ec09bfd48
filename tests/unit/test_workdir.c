// SPDX-License-Identifier: MIT
/* smc_chk/bundle: a temporary directory, removed even on exit(); work in a separate process. */
#include "child.h"

#include <sys/resource.h>

#include "smc_chk/bundle/workdir.h"

static bool fill(const char *top)
{
	char path[PATH_MAX];
	int fd = -1, len = snprintf(path, sizeof(path), "%s", top);

	for (int depth = 0; depth < 20; depth++) {
		for (int i = 0; i < 40; i++) {
			snprintf(path + len, sizeof(path) - (size_t)len, "/file-with-a-name-%d", i);
			fd = open(path, O_CREAT | O_WRONLY, 0600);
			close(fd);
		}
		len += snprintf(path + len, sizeof(path) - (size_t)len, "/%d", depth);
		mkdir(path, 0700);
	}
	snprintf(path + len, sizeof(path) - (size_t)len, "/link");
	return fd >= 0 && !symlink("/", path);
}

static int removes(const void *arg)
{
	struct workdir work;
	struct smc_err err;

	if (workdir_begin(&work, &err) || !fill(work.path))
		return CHILD_CANNOT;
	workdir_end(&work);
	return access(work.path, F_OK) && errno == ENOENT ? CHILD_RIGHT : CHILD_WRONG;
}

TEST(is_gone)
{
	in_child(removes, NULL);
}

static int ends_early(const void *arg)
{
	struct workdir work;
	struct smc_err err;
	int ends[2], status;
	ssize_t len;
	pid_t pid;

	if (pipe(ends))
		return CHILD_CANNOT;
	pid = fork();
	if (!pid) {
		if (workdir_begin(&work, &err) || !fill(work.path))
			_exit(1);
		/* A child process leaves it alone. */
		if (!fork())
			exit(0);
		wait(&status);
		status = access(work.path, F_OK) || write(ends[1], work.path, PATH_MAX) != PATH_MAX;
		exit(status ? 1 : 0);
	}
	len = read(ends[0], work.path, PATH_MAX);
	if (waitpid(pid, &status, 0) != pid || status || len != PATH_MAX)
		return CHILD_WRONG;
	return access(work.path, F_OK) && errno == ENOENT ? CHILD_RIGHT : CHILD_WRONG;
}

TEST(is_gone_after_exit)
{
	in_child(ends_early, NULL);
}

/* ---- separate process ---- */

static int work_of_child(void *arg, struct smc_err *err)
{
	const int *number = arg;

	if (*number > 0)
		raise(*number);
	return *number ? smc_err_say(err, -*number, "words of %d", -*number) : 0;
}

static int ends_as_it_should(const void *arg)
{
	const struct {
		int number, ret;
		const char *words;
	} cases[] = {
		{ 0, 0, "" },
		{ -ENOSPC, -ENOSPC, "words of 28" },
		{ SIGSEGV, -EIO, "cannot work: it crashed" },
		{ SIGXCPU, -EIO, "cannot work: it took too much processor time" },
		{ SIGKILL, -EIO, "cannot work: it was killed" },
	};
	const struct rlimit none = { 0, 0 };
	struct workdir work;

	setrlimit(RLIMIT_CORE, &none);
	/* A sanitizer would handle the signal itself. */
	signal(SIGSEGV, SIG_DFL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct smc_err err = { 0 };
		int number = cases[i].number, ret;

		if (workdir_begin(&work, &err))
			return CHILD_CANNOT;
		ret = workdir_fork(&work, work_of_child, &number, "work", &err);
		workdir_end(&work);
		if (ret != cases[i].ret || strcmp(err.text, cases[i].words)) {
			fprintf(stderr, "%d: %d '%s'\n", number, ret, err.text);
			return CHILD_WRONG;
		}
	}
	return CHILD_RIGHT;
}

TEST(processes)
{
	in_child(ends_as_it_should, NULL);
}
