// SPDX-License-Identifier: MIT
/* Work in a private directory that is gone afterwards; programs that run meanwhile. */
#include "smc_chk/bundle/workdir.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sys/library.h"

/* Descriptors that nftw() may hold; deeper directories are only slower. */
#define REMOVE_FDS 16

extern char **environ;

/* What would end this process; not what nohup(1), or a shell that started it with &, ignores. */
static void ending_signals(sigset_t *ends)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };
	struct sigaction action;

	sigemptyset(ends);
	sigaddset(ends, SIGCHLD);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!sigaction(numbers[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(ends, numbers[i]);
}

int workdir_begin(struct workdir *work, struct smc_err *err)
{
	const char *tmp = secure_getenv("TMPDIR");
	sigset_t ends;

	*work = (struct workdir){ .signals = -1 };
	if (!tmp || *tmp != '/')
		tmp = "/tmp";
	if (snprintf(work->path, sizeof(work->path), "%s/smc_chk.XXXXXX", tmp) >= PATH_MAX)
		return smc_err_set(err, ENAMETOOLONG, "cannot work in %s", tmp);
	/* If SIGCHLD is ignored, children cannot be waited for; and programs inherit that. */
	signal(SIGCHLD, SIG_DFL);
	ending_signals(&ends);
	work->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	if (work->signals < 0)
		return smc_err_set(err, errno, "cannot wait for signals");
	sigprocmask(SIG_BLOCK, &ends, &work->before);
	umask(077);
	if (mkdtemp(work->path))
		return 0;
	smc_err_set(err, errno, "cannot create a directory in %s", tmp);
	sigprocmask(SIG_SETMASK, &work->before, NULL);
	close(work->signals);
	return -err->code;
}

bool workdir_is_stopped(struct workdir *work)
{
	struct signalfd_siginfo info;

	while (read(work->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD && !work->caught)
			work->caught = (int)info.ssi_signo;
	return work->caught;
}

static int start(const struct workdir *work, pid_t *pid, char *const argv[], int out, int errors)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	char path[PATH_MAX];
	int code;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &work->before);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	if (errors >= 0)
		posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
	code = posix_spawnp(pid, self_find(argv[0], X_OK, path) ? path : argv[0], &files, &attr,
			    argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -code;
}

/* Of the clock that nobody sets. */
static time_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

int workdir_run(struct workdir *work, char *const argv[], int out, int errors, int seconds)
{
	struct pollfd wait = { .fd = work->signals, .events = POLLIN };
	time_t end = seconds_now() + seconds;
	int ret, status, told = 0;
	pid_t pid;

	ret = start(work, &pid, argv, out, errors);
	if (ret)
		return ret;
	while (!(ret = waitpid(pid, &status, WNOHANG))) {
		poll(&wait, 1, 1000);
		if (workdir_is_stopped(work) && !told)
			kill(pid, told = work->caught);
		if (seconds && seconds_now() > end)
			kill(pid, SIGKILL);
	}
	if (ret < 0)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	remove(path);
	return 0;
}

void workdir_end(struct workdir *work)
{
	nftw(work->path, remove_one, REMOVE_FDS, FTW_DEPTH | FTW_PHYS);
	workdir_is_stopped(work);
	close(work->signals);
	sigprocmask(SIG_SETMASK, &work->before, NULL);
	if (work->caught)
		raise(work->caught);
}
