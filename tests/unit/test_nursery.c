// SPDX-License-Identifier: MIT
/* smc_ab/child: the end of each child is recorded, whatever is being waited for. */
#include "child.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "launch/launch.h"
#include "smc_ab/child.h"

/* Preparing a command takes much longer than the previous child lives. */
int launch_prepare(const struct launch *launch, char *const *argv)
{
	const struct timespec time = { .tv_nsec = 500 * 1000 * 1000 };

	nanosleep(&time, NULL);
	return 0;
}

static pid_t ends_late;

/* Replaces libc's: @ends_late ends when no ended child was found. */
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	pid_t found = waitpid(pid, status, options);
	siginfo_t info;

	*usage = (struct rusage){ .ru_nvcsw = 0 };
	if (!found && ends_late) {
		kill(ends_late, SIGKILL);
		waitid(P_PID, (id_t)ends_late, &info, WEXITED | WNOWAIT);
		ends_late = 0;
	}
	return found;
}

static int end_while_other_starts(const void *arg)
{
	static char yes[] = "true", no[] = "false";
	static char *const first_argv[] = { yes, NULL }, *const then_argv[] = { no, NULL };
	const struct launch launch = { .quiet = true };
	const struct child_how first_how = { .argv = first_argv, .out = -1 };
	const struct child_how then_how = { .launch = &launch, .argv = then_argv, .out = -1 };
	struct child first = { .status = -1 }, then = { .status = -1 };
	struct nursery nursery = { 0 };
	struct smc_err err;

	alarm(60);
	if (nursery_open(&nursery) || child_start(&nursery, &first, &first_how, &err) ||
	    child_start(&nursery, &then, &then_how, &err))
		return CHILD_WRONG;
	if (first.pid || first.status)
		return CHILD_WRONG;
	while (then.pid)
		child_wait(&nursery, NULL, NULL, -1);
	child_end(&nursery, &first);
	child_end(&nursery, &then);
	nursery_clear(&nursery);
	return WEXITSTATUS(then.status) == 1 && !nursery.alive ? CHILD_RIGHT : CHILD_WRONG;
}

/* Emulators may not support subreapers; kernels do since 3.4. */
static void need_subreapers(void)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) && errno == EINVAL)
		skip();
}

/* A server may end while the command is prepared. */
TEST(test_end_while_other_starts)
{
	need_subreapers();
	in_child(end_while_other_starts, NULL);
}

static int end_after_look(const void *arg)
{
	static char sleep[] = "sleep", time[] = "600";
	static char *const argv[] = { sleep, time, NULL };
	const struct child_how how = { .argv = argv, .out = -1 };
	struct child child = { .status = -1 };
	struct nursery nursery = { 0 };
	struct smc_err err;

	alarm(60);
	if (nursery_open(&nursery) || child_start(&nursery, &child, &how, &err))
		return CHILD_WRONG;
	ends_late = child.pid;
	child_wait(&nursery, NULL, NULL, 0);
	while (child.pid)
		child_wait(&nursery, NULL, NULL, -1);
	return WIFSIGNALED(child.status) && !ends_late ? CHILD_RIGHT : CHILD_WRONG;
}

/* The end of a child is never missed. */
TEST(test_end_after_look)
{
	need_subreapers();
	in_child(end_after_look, NULL);
}
