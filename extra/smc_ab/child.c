// SPDX-License-Identifier: MIT
/* Start, wait for and end commands, with all of their descendants. */
#include "smc_ab/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/array.h"
#include "base/clock.h"
#include "process/proc.h"
#include "process/signals.h"
#include "process/target.h"

/*
 * How long processes that a run left behind, such as smc_keep with the last data, may take to end;
 * after that they get SIGTERM, and later SIGKILL.
 */
#define ALONE_MS 1000
#define TERM_MS 10000
#define MOMENT_MS 20

static uint64_t now_ns(void)
{
	return (uint64_t)clock_ns(CLOCK_MONOTONIC);
}

static void add_usage(struct usage *sum, const struct rusage *one)
{
	struct timeval cpu;

	timeradd(&one->ru_utime, &one->ru_stime, &cpu);
	sum->cpu_ns += (uint64_t)cpu.tv_sec * 1000000000U + (uint64_t)cpu.tv_usec * 1000U;
	sum->switches += (uint64_t)one->ru_nvcsw + (uint64_t)one->ru_nivcsw;
}

/* Message of a child before its exec; a second message follows if exec fails. */
struct prepared {
	int status, exec_errno;
	struct usage used;
};

static void __attribute__((noreturn))
become(const struct nursery *nursery, const struct child_how *how, int link)
{
	struct prepared prepared = { 0 };
	struct rusage self, others;
	char go;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTSTP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &nursery->before, NULL);
	if (how->launch)
		prepared.status = launch_prepare(how->launch, how->argv);
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &others);
	add_usage(&prepared.used, &self);
	add_usage(&prepared.used, &others);
	if (send(link, &prepared, sizeof(prepared), MSG_NOSIGNAL) != sizeof(prepared) ||
	    prepared.status || recv(link, &go, 1, 0) != 1)
		_exit(1);
	dup2(nursery->null, 0);
	dup2(how->out < 0 ? nursery->null : how->out, 1);
	dup2(how->out < 0 ? nursery->null : how->out, 2);
	target_exec(how->argv);
	prepared.exec_errno = errno;
	(void)!send(link, &prepared, sizeof(prepared), MSG_NOSIGNAL);
	_exit(127);
}

/* ---- start ---- */

int nursery_open(struct nursery *nursery)
{
	static const int signals[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	signals_heeded(&set, signals, ARRAY_SIZE(signals));
	/* Ignore Ctrl-Z: the commands and their clocks would continue without this process. */
	signal(SIGTSTP, SIG_IGN);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) ||
	    sigprocmask(SIG_BLOCK, &set, &nursery->before))
		return -errno;
	nursery->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	nursery->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	return nursery->signal_fd < 0 || nursery->null < 0 ? -errno : 0;
}

static int await_ready(struct nursery *nursery, struct child *child, int link)
{
	struct pollfd pfd = { .fd = link, .events = POLLIN };
	struct prepared prepared;

	while (poll(&pfd, 1, MOMENT_MS) <= 0) {
		child_wait(nursery, NULL, NULL, 0);
		if (nursery->caught)
			return -ECANCELED;
	}
	if (recv(link, &prepared, sizeof(prepared), 0) != sizeof(prepared) || prepared.status)
		return -ECANCELED;
	nursery->used.cpu_ns -= prepared.used.cpu_ns;
	nursery->used.switches -= prepared.used.switches;
	child->start_ns = now_ns();
	return send(link, "", 1, MSG_NOSIGNAL) == 1 ? 0 : -ECANCELED;
}

int child_start(struct nursery *nursery, struct child *child, const struct child_how *how,
		struct smc_err *err)
{
	struct prepared failed;
	int pair[2], ret;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return smc_err_set(err, errno, "cannot start '%s'", how->argv[0]);
	pid = fork();
	if (!pid)
		become(nursery, how, pair[1]);
	ret = pid < 0 ? smc_err_set(err, errno, "cannot start '%s'", how->argv[0]) : 0;
	close(pair[1]);
	if (!ret) {
		setpgid(pid, pid);
		child->pid = pid;
		child->next = nursery->alive;
		nursery->alive = child;
		ret = await_ready(nursery, child, pair[0]);
	}
	/* exec closes the child's end; only its failure sends a second message. */
	if (!ret && recv(pair[0], &failed, sizeof(failed), 0) == sizeof(failed))
		ret = smc_err_set(err, failed.exec_errno, "cannot run '%s'", how->argv[0]);
	close(pair[0]);
	if (ret)
		child_end(nursery, child);
	return ret;
}

/* ---- descendants ---- */

static void add_of_thread(struct family *family, pid_t pid, pid_t thread)
{
	char path[64];
	FILE *file;
	pid_t child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)thread);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		*smc_array_add(&family->pids, &family->count) = child;
	if (file)
		fclose(file);
}

static void add_children(struct family *family, pid_t pid)
{
	char path[64];
	DIR *dir AUTO_CLOSEDIR = NULL;
	pid_t thread;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path); /* NULL: the process has ended */
	while (dir && (thread = proc_next(dir)))
		add_of_thread(family, pid, thread);
}

void family_add(struct family *family, pid_t root)
{
	add_children(family, root);
	for (size_t i = 0; i < family->count; i++)
		add_children(family, family->pids[i]);
}

/* ---- wait ---- */

static void note_end(struct nursery *nursery, pid_t pid, int status)
{
	for (struct child **place = &nursery->alive, *child; (child = *place);
	     place = &child->next) {
		if (child->pid != pid)
			continue;
		*place = child->next;
		child->pid = 0;
		child->status = status;
		child->end_ns = now_ns();
		return;
	}
}

static void reap(struct nursery *nursery)
{
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0) {
		add_usage(&nursery->used, &usage);
		note_end(nursery, pid, status);
	}
}

static void take_signals(struct nursery *nursery)
{
	struct signalfd_siginfo info;

	while (read(nursery->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			nursery->caught = (int)info.ssi_signo;
}

void child_wait(struct nursery *nursery, int *out, struct out_text *output, int ms)
{
	struct pollfd fds[] = { { .fd = nursery->signal_fd, .events = POLLIN },
				{ .fd = out ? *out : -1, .events = POLLIN } };

	poll(fds, 2, ms);
	/* Read signals before reaping children: a child that ends later sends another signal. */
	take_signals(nursery);
	reap(nursery);
	if (fds[1].revents && !output_read(output, *out)) {
		close(*out);
		*out = -1;
	}
}

void child_end(struct nursery *nursery, struct child *child)
{
	uint64_t limit = now_ns() + TERM_MS * (uint64_t)1000000;
	pid_t group = child->pid;

	if (!group)
		return;
	kill(-group, SIGTERM);
	kill(-group, SIGCONT);
	while (child->pid) {
		child_wait(nursery, NULL, NULL, MOMENT_MS);
		/* A set-uid program is left to nursery_clear(), which reports it. */
		if (child->pid && now_ns() > limit && kill(-group, SIGKILL) && errno == EPERM)
			return;
	}
}

/* @refused: number of processes that may not be killed. Return: number of processes */
static size_t kill_family(int number, size_t *refused)
{
	struct family family = { 0 };
	size_t count;

	family_add(&family, getpid());
	count = family.count;
	*refused = 0;
	for (size_t i = 0; number && i < count; i++)
		*refused += kill(family.pids[i], number) && errno == EPERM;
	free(family.pids);
	return count;
}

bool nursery_clear(struct nursery *nursery)
{
	uint64_t start = now_ns();
	size_t count, refused;
	bool is_asked = false;
	int number = 0;

	while ((count = kill_family(number, &refused))) {
		uint64_t ms = (now_ns() - start) / 1000000U;

		child_wait(nursery, NULL, NULL, MOMENT_MS);
		if (number == SIGKILL && count == refused)
			break;
		number = 0;
		if (ms > ALONE_MS + TERM_MS)
			number = SIGKILL;
		else if (!is_asked && (ms > ALONE_MS || nursery->caught))
			number = SIGTERM;
		is_asked |= number == SIGTERM;
	}
	child_wait(nursery, NULL, NULL, 0);
	nursery->alive = NULL;
	return !count;
}

const char *child_how_it_ended(int status, char text[64])
{
	if (WIFSIGNALED(status))
		snprintf(text, 64, "signal %d (%.40s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, 64, "exit status %d", WEXITSTATUS(status));
	return text;
}
