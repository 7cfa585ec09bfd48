// SPDX-License-Identifier: MIT
/* smc_run --bpf: this process marks itself in the map that smc_bpf pinned. */
#include "smc_run/bpf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "smc_run/kernel.h"
#include "sys/bpfmap.h"
#include "sys/scope.h"

bool bpf_loader(char path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - sizeof("smc_bpf"));

	if (len <= 0)
		return false;
	path[len] = '\0';
	strcpy(strrchr(path, '/') + 1, "smc_bpf");
	return !access(path, X_OK);
}

/* Return: 0; -ENOENT while nothing is there for smc_run. */
static int mark_self(void)
{
	const uint64_t id = SCOPE_RUN_ID;
	struct smc_scope scope;
	int scopes, tasks, ret;

	scopes = bpfmap_open(SCOPE_DIR "/" SCOPE_SCOPES, false, sizeof(scope));
	if (scopes < 0)
		return scopes;
	ret = bpfmap_lookup(scopes, &id, &scope);
	close(scopes);
	if (ret)
		return ret;
	tasks = bpfmap_open(SCOPE_DIR "/" SCOPE_TASKS, true, sizeof(id));
	if (tasks < 0)
		return tasks;
	ret = bpfmap_mark(tasks, getpid(), id);
	close(tasks);
	return ret;
}

/* One line without its newline and without "smc_bpf: "; "" if it said nothing. */
static void read_message(int fd, char *text, size_t size)
{
	static const char lead[] = "smc_bpf: ";
	size_t len = 0, skip;
	ssize_t got;

	while (len < size - 1 && ((got = read(fd, text + len, size - 1 - len)) > 0 ||
				  (got < 0 && errno == EINTR)))
		len += got > 0 ? (size_t)got : 0;
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	skip = strncmp(text, lead, strlen(lead)) ? 0 : strlen(lead);
	memmove(text, text + skip, strlen(text + skip) + 1);
}

/* Whether it succeeded is seen by looking again: the caller may have SIGCHLD ignored. */
static int run_loader(const char *path, char *text, size_t size)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		execl(path, "smc_bpf", "attach", "--run", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	if (pid > 0)
		read_message(ends[0], text, size);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return pid < 0 ? -errno : 0;
}

/* Ask smc_bpf to load it, then again. */
static int load_and_mark(struct smc_err *err)
{
	char path[PATH_MAX], text[sizeof(err->text)] = "";
	int ret;

	if (!bpf_loader(path))
		return smc_err_say(err, ENOENT, "there is no smc_bpf beside smc_run: it was built "
				   "without eBPF");
	ret = run_loader(path, text, sizeof(text));
	if (!ret)
		ret = mark_self();
	if (ret && *text)
		return smc_err_say(err, -ret, "%s", text);
	return ret ? smc_err_set(err, -ret, "smc_bpf did not load its program") : 0;
}

int bpf_mark_self(struct smc_err *err)
{
	int ret = kernel_ipproto_smc();

	if (ret)
		return smc_err_set(err, -ret, "no IPPROTO_SMC, which came with Linux 6.11");
	ret = mark_self();
	switch (ret) {
	case 0:
		return 0;
	case -ENOENT:
		return load_and_mark(err);
	case -ESTALE:
		return smc_err_say(err, ESTALE, "another version of smc_bpf loaded its program");
	default:
		return smc_err_set(err, -ret, "eBPF maps in " SCOPE_DIR);
	}
}
