// SPDX-License-Identifier: MIT
/* oci-hook: container runtimes run it before a container's program starts, and after it ends. */
#include "smc_bpf/smc_bpf.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <syslog.h>

#include "base/memory.h"
#include "base/write.h"
#include "cgroup/cgroup.h"
#include "cli/printable.h"
#include "process/proc.h"
#include "settings/settings.h"

#define MAX_STATE (1U << 20) /* bytes; Kubernetes takes 256 KiB of annotations */
/*
 * Time limit of the hook. Hooks of several containers wait for each other, so at boot the last one
 * is late. The kubelet allows two minutes for a container, systemd 90 seconds for a unit.
 */
#define MAX_SECONDS 30

/* One byte per failure since the host was booted: appending needs no lock. */
#define FAILURES_FILE "oci-hook.failures"

#define LINE_SIZE 1024

static void put_line(char line[LINE_SIZE], const struct oci_state *container, const char *text)
{
	snprintf(line, LINE_SIZE, "%s%s%s%.500s", *container->id ? "container " : "", container->id,
		 *container->id ? ": " : "", text);
}

static void log_line(const struct cli_tool *tool, int priority, const char *line)
{
	char printable[LINE_SIZE];

	cli_printable(printable, sizeof(printable), line);
	openlog(tool->name, LOG_PID, LOG_DAEMON);
	syslog(priority, "%s", printable);
	closelog();
}

/* Also to syslog: runtimes show standard error only if the hook fails. */
static void say(const struct cli_tool *tool, const struct oci_state *container, int priority,
		const char *text)
{
	char line[LINE_SIZE];

	put_line(line, container, text);
	cli_note(tool, "%s", line);
	log_line(tool, priority, line);
}

/* ---- before the program ---- */

static int attach(const struct oci_state *container, struct smc_err *err)
{
	const struct smc_scope rules = {
		.family = container->wish == OCI_TCP ? SCOPE_NO_FAMILY : 0,
		.keeps_mptcp = container->keeps_mptcp,
	};
	struct scope_target target = { 0 };
	char path[PATH_MAX];
	int ret = cgroup_of_container_process(container->pid, container->id, path);

	if (ret == -EXDEV)
		return smc_err_say(err, EXDEV, "it has no control group of its own");
	if (ret)
		return smc_err_set(err, -ret, "process %d", (int)container->pid);
	ret = scope_target_cgroup(&target, 'p', path, err);
	return ret ? ret : scope_attach(&target, &rules, err);
}

/* Apply smc.conf to the container's network namespace; the host's has a service for this. */
static int apply_conf(const struct cli_tool *tool, const struct oci_state *container,
		      struct smc_err *err)
{
	struct conf file AUTO(conf_free) = { 0 };
	struct settings host AUTO(settings_free) = { 0 };
	struct out_text waits AUTO(out_free) = { 0 };
	char netns[64];
	int ret = conf_read_default(&file, false, true, err);

	if (ret || !file.n_sections)
		return ret;
	snprintf(netns, sizeof(netns), "/proc/%d/ns/net", (int)container->pid);
	ret = proc_shares(container->pid, "net");
	if (ret)
		return ret > 0 ? 0 : smc_err_set(err, -ret, "%s", netns);
	settings_lock(&host);
	ret = settings_plan(&host, &file, netns, err);
	if (!ret)
		ret = settings_apply(&host, err);
	settings_waits(&waits, &host);
	if (!ret && waits.len) {
		out_char(&waits, '\0');
		waits.data[strcspn(waits.data, "\n")] = '\0';
		say(tool, container, LOG_NOTICE, waits.data);
	}
	return ret;
}

/* The annotation overrides smc.conf, which overrides the default. */
static int set_up(const struct cli_tool *tool, const struct oci_state *container,
		  struct smc_err *err)
{
	int ret = container->buffers ? 0 : buffers_set(container->pid, 0, err);

	if (ret >= 0)
		ret = apply_conf(tool, container, err);
	if (!ret && container->buffers)
		ret = buffers_set(container->pid, container->buffers, err);
	return ret < 0 ? ret : 0;
}

static int begin(const struct cli_tool *tool, const struct oci_state *container)
{
	struct smc_err err = { 0 };
	int ret, set = 0;

	if (proc_shares(container->pid, "mnt") > 0) {
		smc_err_say(&err, EXDEV,
			    "process %d uses the host's mounts: it is not in a container",
			    (int)container->pid);
		say(tool, container, LOG_ERR, err.text);
		return -EXDEV;
	}
	ret = attach(container, &err);
	if (ret)
		say(tool, container, LOG_ERR, err.text);
	if (container->wish != OCI_TCP && !(ret && container->wish == OCI_STRICT))
		set = set_up(tool, container, &err);
	if (set)
		say(tool, container, LOG_ERR, err.text);
	return ret ? ret : set;
}

/* ---- time limit ---- */

static volatile sig_atomic_t is_late;

static void note_limit(int number)
{
	is_late = number;
}

/* Repeats, in case the first signal arrives just before a blocking call. */
static void set_limit(void)
{
	const struct itimerval timer = { .it_value.tv_sec = MAX_SECONDS, .it_interval.tv_sec = 1 };
	const struct sigaction action = { .sa_handler = note_limit };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Read standard input within the time limit, as a runtime may hang. Return: -errno */
static int read_text(char *text, size_t size, size_t *len)
{
	ssize_t ret;

	for (*len = 0; *len < size; *len += (size_t)ret) {
		ret = is_late ? 0 : read(STDIN_FILENO, text + *len, size - *len);
		if (is_late)
			return -ETIMEDOUT;
		if (ret <= 0)
			return ret ? -errno : 0;
	}
	return -EFBIG;
}

static int read_container(struct oci_state *container, struct smc_err *err)
{
	char *text AUTO_FREE = xcalloc(1, MAX_STATE);
	size_t len;
	int ret = read_text(text, MAX_STATE, &len);

	return ret ? smc_err_set(err, -ret, "cannot read the state of the container") :
		     oci_state_read(container, text, len, err);
}

static int work(const struct cli_tool *tool, const struct oci_state *container)
{
	struct smc_err err = { 0 };

	if (!container->is_stopped)
		return begin(tool, container);
	if (!scope_detach_container(container->id, &err))
		return 0;
	say(tool, container, LOG_ERR, err.text);
	return -1;
}

/* @wrong: an earlier error, or NULL */
static pid_t start(const struct cli_tool *tool, const struct oci_state *container,
		   const char *wrong)
{
	pid_t pid = fork();

	if (pid >= 0)
		setpgid(pid, pid);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!wrong)
		_exit(work(tool, container) ? EXIT_FAILURE : EXIT_SUCCESS);
	say(tool, container, LOG_ERR, wrong);
	_exit(EXIT_FAILURE);
}

/* Return: 0, -1 on failure, -ETIMEDOUT. */
static int work_until_late(const struct cli_tool *tool, const struct oci_state *container,
			   const char *wrong)
{
	int status;
	pid_t pid = start(tool, container, wrong);

	if (pid < 0) {
		cli_note(tool, "cannot begin: %s", strerror(errno));
		return -1;
	}
	while (waitpid(pid, &status, is_late ? WNOHANG : 0) != pid) {
		if (!is_late)
			continue;
		kill(-pid, SIGKILL);
		return -ETIMEDOUT;
	}
	return status ? -1 : 0;
}

/* The journal may be what hangs, and runtimes wait until a hook's output is closed. */
static void say_late(const struct cli_tool *tool, const struct oci_state *container)
{
	const char *result = container->is_stopped ? "its scope may be left" :
						     "it starts anyway, perhaps with TCP";
	char text[128], line[LINE_SIZE];

	snprintf(text, sizeof(text), "not done after %d seconds: %s", MAX_SECONDS,
		 container->wish == OCI_STRICT ? "it does not start" : result);
	put_line(line, container, text);
	cli_note(tool, "%s", line);
	if (fork())
		return;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	log_line(tool, LOG_ERR, line);
	_exit(0);
}

/* Count for smc-metrics; without write permission this is not the host's runtime. */
static void count_failure(const struct cli_tool *tool)
{
	int fd AUTO_CLOSE = rundir_open(FAILURES_FILE, O_WRONLY | O_APPEND, 0644);

	if (fd < 0)
		return;
	if (write(fd, "\n", 1) != 1)
		cli_note(tool, "cannot count the failure: %s", strerror(errno));
}

uint64_t hook_failures(void)
{
	struct stat file;

	return stat(RUN_DIR "/" FAILURES_FILE, &file) ? 0 : (uint64_t)file.st_size;
}

int hook_run(const struct cli_tool *tool)
{
	struct oci_state container = { .wish = OCI_NONE };
	struct smc_err err = { 0 };
	int ret;

	set_limit();
	ret = read_container(&container, &err);
	if (!ret && !container.wish && !container.is_stopped)
		return 0;
	/* The runtime may not read the output. */
	signal(SIGPIPE, SIG_IGN);
	if (ret != -ETIMEDOUT)
		ret = work_until_late(tool, &container, ret ? err.text : NULL);
	signal(SIGALRM, SIG_IGN);
	if (ret)
		count_failure(tool);
	if (ret == -ETIMEDOUT)
		say_late(tool, &container);
	return ret && container.wish == OCI_STRICT ? tool->error_status : 0;
}
