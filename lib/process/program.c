// SPDX-License-Identifier: MIT
#include "process/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "base/read.h"

#define MAX_TEXT (64U << 20) /* bytes */

static int spawn(char *const *argv, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return -err;
	err = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
	if (!err)
		err = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

static int exit_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int program_run(char *const *argv, char **text, size_t *size)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct sigaction before;
	int pipes[2], status, err;
	pid_t pid;

	*text = NULL;
	if (pipe2(pipes, O_CLOEXEC))
		return -errno;
	/* If SIGCHLD was inherited as ignored, the status of a child would be lost. */
	sigaction(SIGCHLD, &usual, &before);
	status = spawn(argv, pipes[1], &pid);
	close(pipes[1]);
	if (!status) {
		*text = smc_read_fd(pipes[0], MAX_TEXT, size);
		err = errno;
		status = exit_status(pid);
		if (!*text)
			status = -err;
	} else {
		close(pipes[0]);
	}
	sigaction(SIGCHLD, &before, NULL);
	return status;
}
