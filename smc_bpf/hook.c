// SPDX-License-Identifier: MIT
/* oci-hook: what runtimes of containers start before a container's program, and after its end. */
#include "smc_bpf/smc_bpf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/read.h"
#include "cli/printable.h"
#include "conf/read.h"
#include "smc_bpf/oci_state.h"
#include "sys/cgroup.h"
#include "sys/library.h"
#include "sys/program.h"
#include "sys/rundir.h"

#define MAX_STATE (1U << 20) /* bytes; Kubernetes takes 256 KiB of annotations */
#define MAX_SECONDS 10

/* A byte for each failure since the host was started: appending one needs no lock. */
#define FAILURES_FILE "oci-hook.failures"

/* Runtimes show standard error only if the hook fails. */
static void say(const struct cli_tool *tool, const struct oci_state *container, int priority,
		const char *text)
{
	char line[1024], printable[1024];

	snprintf(line, sizeof(line), "%s%s%s%.500s", *container->id ? "container " : "",
		 container->id, *container->id ? ": " : "", text);
	cli_note(tool, "%s", line);
	cli_printable(printable, sizeof(printable), line);
	openlog(tool->name, LOG_PID, LOG_DAEMON);
	syslog(priority, "%s", printable);
	closelog();
}

/* ---- before the program ---- */

static int attach(const struct oci_state *container, struct smc_err *err)
{
	const struct smc_scope rules = {
		.family = container->wish == OCI_TCP ? SCOPE_NO_FAMILY : 0
	};
	struct scope_target target = { 0 };
	char path[PATH_MAX];
	int ret = cgroup_of_container_process(container->pid, container->id, path);

	if (ret == -EXDEV)
		return smc_err_say(err, EXDEV, "it has no control group of its own");
	if (ret)
		return smc_err_set(err, -ret, "process %d", (int)container->pid);
	ret = scope_target_cgroup(&target, 'c', path, err);
	return ret ? ret : scope_attach(&target, &rules, err);
}

/* Its network namespace gets what smc.conf says of it; that of the host has its own service. */
static int set_up(const struct cli_tool *tool, const struct oci_state *container,
		  struct smc_err *err)
{
	char netns[64], program[PATH_MAX], *said;
	char *argv[] = { program, (char *)"apply", (char *)"--netns", netns, NULL };
	struct stat here, there;
	size_t size;
	int ret;

	snprintf(netns, sizeof(netns), "/proc/%d/ns/net", (int)container->pid);
	if (access(CONF_FILE, F_OK) && access(CONF_DIR, F_OK))
		return 0;
	if (stat(netns, &there) || stat("/proc/self/ns/net", &here))
		return smc_err_set(err, errno, "%s", netns);
	if (here.st_dev == there.st_dev && here.st_ino == there.st_ino)
		return 0;
	if (!self_find("smc_conf", X_OK, program))
		return smc_err_say(err, ENOENT, "smc_conf, which applies " CONF_FILE ", is not "
				   "installed beside smc_bpf");
	ret = program_run(argv, &said, &size);
	if (ret < 0)
		return smc_err_set(err, -ret, "cannot run smc_conf");
	said[strcspn(said, "\n")] = '\0';
	if (ret)
		smc_err_say(err, EIO, "%.350s", *said ? said : "smc_conf failed");
	else if (*said)
		say(tool, container, LOG_NOTICE, said);
	free(said);
	return ret ? -EIO : 0;
}

static int begin(const struct cli_tool *tool, const struct oci_state *container)
{
	struct smc_err err = { 0 };
	int ret = attach(container, &err), set = 0;

	if (ret)
		say(tool, container, LOG_ERR, err.text);
	if (container->wish != OCI_TCP && !(ret && container->wish == OCI_STRICT))
		set = set_up(tool, container, &err);
	if (set)
		say(tool, container, LOG_ERR, err.text);
	return ret ? ret : set;
}

/* ---- all of it, within a time ---- */

static int work(const struct cli_tool *tool, struct oci_state *container)
{
	struct smc_err err = { 0 };
	size_t len;
	char *text = smc_read_fd(STDIN_FILENO, MAX_STATE, &len);
	int ret = text ? oci_state_read(container, text, len, &err) :
			 smc_err_set(&err, errno, "cannot read the state of the container");

	free(text);
	if (!ret && container->is_stopped)
		ret = scope_detach_container(container->id, &err);
	else if (!ret && container->wish)
		return begin(tool, container);
	if (ret)
		say(tool, container, LOG_ERR, err.text);
	return ret;
}

static pid_t start(const struct cli_tool *tool, struct oci_state *container)
{
	pid_t pid = fork();

	if (pid > 0)
		setpgid(pid, pid);
	if (pid)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(work(tool, container) ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* Return: 0, -1 if it failed, -ETIMEDOUT. */
static int finish(pid_t pid, const sigset_t *child)
{
	const int64_t end = clock_ns(CLOCK_MONOTONIC) + MAX_SECONDS * 1000000000LL;
	int64_t left;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		left = end - clock_ns(CLOCK_MONOTONIC);
		if (left <= 0) {
			kill(-pid, SIGKILL);
			return -ETIMEDOUT;
		}
		sigtimedwait(child, NULL, &(struct timespec){ left / 1000000000,
							      left % 1000000000 });
	}
	return status ? -1 : 0;
}

/* The journal may be what hangs. */
static void say_late(const struct cli_tool *tool, const struct oci_state *container)
{
	char text[64];

	snprintf(text, sizeof(text), "no end after %d seconds: left as it is", MAX_SECONDS);
	cli_note(tool, "%s%s%s", container->id, *container->id ? ": " : "", text);
	if (!fork()) {
		close(STDERR_FILENO);
		say(tool, container, LOG_ERR, text);
		_exit(0);
	}
}

/* For smc-metrics; who may not write there is not the host's runtime. */
static void count_failure(const struct cli_tool *tool)
{
	int fd = rundir_open(FAILURES_FILE, O_WRONLY | O_APPEND, 0644);

	if (fd < 0)
		return;
	if (write(fd, "\n", 1) != 1)
		cli_note(tool, "cannot count the failure: %s", strerror(errno));
	close(fd);
}

uint64_t hook_failures(void)
{
	struct stat file;

	return stat(RUN_DIR "/" FAILURES_FILE, &file) ? 0 : (uint64_t)file.st_size;
}

int hook_run(const struct cli_tool *tool)
{
	struct oci_state *container = mmap(NULL, sizeof(*container), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigset_t child;
	pid_t pid;
	int ret;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	/* A runtime that does not listen, or that wants to know nothing of its own children. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	pid = container == MAP_FAILED ? -1 : start(tool, container);
	if (pid < 0) {
		cli_note(tool, "cannot begin: %s", strerror(errno));
		return 0;
	}
	ret = finish(pid, &child);
	if (ret)
		count_failure(tool);
	if (ret == -ETIMEDOUT)
		say_late(tool, container);
	return ret && container->wish == OCI_STRICT ? tool->error_status : 0;
}
