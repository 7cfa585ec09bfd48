// SPDX-License-Identifier: MIT
/*
 * The supervisor: a process that answers socket(2) and some setsockopt(2) of a command by seccomp
 * user notification.
 *
 * The command keeps smc_run's process id, as under env(1), with its status, signals, terminal and
 * parent, so nothing has to be forwarded. The supervisor is the other process: nobody waits for it,
 * and it has its own session, without a terminal's signals. It is a child of init, because the
 * command's wait(2) would report a child. If the command inherits orphans, as the first process of
 * a container does, the supervisor is its child, which wait() skips without __WALL.
 *
 * Without the supervisor the programs' sockets fail (ENOSYS), so it blocks every signal, and ends
 * with the last program that could ask. It keeps none of their files, and has no privileges: it
 * opens only sockets that the program could open itself.
 */
#include "launch/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/read.h"
#include "host/smc.h"
#include "launch/bufsize.h"
#include "process/helper.h"
#include "process/sockcall.h"
#include "process/sockopt_numbers.h"
#include "sandbox/confine.h"
#include "smc/family.h"

/*
 * Number of worker threads. An answer blocks until the requesting thread runs again, so a thread
 * that its control group throttles blocks a worker.
 */
#define THREADS 4
#define STACK 131072

/* Delay after a refusal because SMC is missing: each attempt may start modprobe. */
#define RETRY_SECONDS 10

/* Process name, so that killing the command by name spares the supervisor. */
#define SUPERVISOR "smc_supervise"

/* Control groups of a process, a line for each hierarchy; its AppArmor profile. */
#define FACTS_SIZE 4096

/**
 * struct supervisor - settings for each TCP socket
 * @inet: try IPPROTO_SMC before AF_SMC; @is_strict: no TCP where there is no SMC
 * @sndbuf, @rcvbuf: sizes for SO_SNDBUF and SO_RCVBUF, 0 for the kernel's own
 * @is_locked: the user gave sizes; @keeps_mptcp: the user chose MPTCP for Go programs
 * @command: process that becomes the command; @no_landlock: Landlock would hide it from us
 */
struct supervisor {
	bool inet, is_strict, is_locked, keeps_mptcp;
	int sndbuf, rcvbuf;
	pid_t command;
	bool no_landlock;
	int listener;
	ino_t netns;	      /* inode of a file that exists once per network namespace */
	atomic_long retry;    /* second before which SMC is not tried again */
	pthread_mutex_t gate; /* locked until there is a listener */
};

/* ---- one socket ---- */

/*
 * Network namespace of a process, by the inode of a file in /proc/PID/net. /proc/PID/ns/net needs
 * the right to trace the process, which is lost when it changes its user.
 */
static ino_t netns_of(pid_t pid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/net/dev", (int)pid);
	return stat(path, &st) ? 0 : st.st_ino;
}

/* Read a file of /proc/PID, and the same of this process; a missing one is empty. */
static void read_both(pid_t pid, const char *name, char theirs[FACTS_SIZE], char ours[FACTS_SIZE])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	smc_read_start(path, 0, theirs, FACTS_SIZE);
	snprintf(path, sizeof(path), "/proc/self/%s", name);
	smc_read_start(path, 0, ours, FACTS_SIZE);
}

/*
 * Firewalls and limits of control groups apply to the process that opens a socket. /proc/PID
 * belongs to the effective user of a process, dumpable or not.
 */
static bool has_our_sockets(pid_t pid)
{
	char path[64], theirs[FACTS_SIZE], ours[FACTS_SIZE];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) || st.st_uid != geteuid() || st.st_gid != getegid())
		return false;
	/* A kernel without control groups has no such files. */
	read_both(pid, "cgroup", theirs, ours);
	return !strcmp(theirs, ours);
}

static long seconds(void)
{
	return (long)(clock_ns(CLOCK_MONOTONIC_COARSE) / 1000000000);
}

/* syscall(2) bypasses any library preloaded into this process. */
static int open_kind(int domain, int flags, int protocol)
{
	long fd = syscall(SYS_socket, domain, SOCK_STREAM | SOCK_CLOEXEC | flags, protocol);

	return fd < 0 ? -errno : (int)fd;
}

/*
 * Lock only sizes that the user gave: if SMC falls back, TCP tunes its own. Listeners do not pass
 * on unlocked sizes, see ld_pre_smc/state/buffers.h. A locked filter makes SO_ATTACH_FILTER and the
 * like fail: SMC would ignore it.
 */
static void set_options(int fd, const struct supervisor *self)
{
	const int unlocked = 0, locked = 1;

	setsockopt(fd, SOL_SOCKET, SO_LOCK_FILTER, &locked, sizeof(locked));
	if (self->sndbuf)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &self->sndbuf, sizeof(int));
	if (self->rcvbuf)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &self->rcvbuf, sizeof(int));
	if (!self->is_locked)
		setsockopt(fd, SOL_SOCKET, SO_BUF_LOCK, &unlocked, sizeof(unlocked));
}

static int open_smc(const struct supervisor *self, const struct sockcall *call)
{
	int flags = call->flags & SOCK_NONBLOCK, fd = -EPROTONOSUPPORT;

	if (self->inet)
		fd = open_kind(call->is_v6 ? AF_INET6 : AF_INET, flags, IPPROTO_SMC);
	if (fd < 0)
		fd = open_kind(AF_SMC, flags, call->is_v6 ? SMCPROTO_SMC6 : SMCPROTO_SMC);
	if (fd >= 0)
		set_options(fd, self);
	return fd;
}

/*
 * An AppArmor profile without "network smc" allows opening such a socket, but denies its use. This
 * process, which opens the sockets, may have a different profile than the program.
 */
static bool has_other_profile(pid_t pid)
{
	char theirs[FACTS_SIZE], ours[FACTS_SIZE];

	read_both(pid, "attr/apparmor/current", theirs, ours);
	return strstr(theirs, " (enforce)") && strcmp(ours, theirs);
}

/*
 * Check that this thread gets SMC sockets. A thread that waits in socket(2) cannot change its
 * namespace or user. If it ended and its number was reused, the request is gone, and the answer
 * fails. Return: 0, -errno.
 */
static int check_thread(const struct supervisor *self, pid_t pid)
{
	if (seconds() < self->retry || !pid || netns_of(pid) != self->netns ||
	    !has_our_sockets(pid))
		return -EAFNOSUPPORT;
	return has_other_profile(pid) ? -EACCES : 0;
}

/* Return: a socket, or -errno if the kernel has none, or denies it to this process. */
static int find_smc(struct supervisor *self, const struct sockcall *call)
{
	int fd = check_thread(self, call->pid);

	if (fd)
		return fd;
	fd = open_smc(self, call);
	if (fd == -EAFNOSUPPORT || fd == -EPROTONOSUPPORT || fd == -ESOCKTNOSUPPORT)
		self->retry = seconds() + RETRY_SECONDS;
	return fd;
}

static void answer_socket(struct supervisor *self, const struct sockcall *call)
{
	bool is_left = call->is_mptcp && (self->keeps_mptcp || !call->is_own);
	int fd = is_left ? -EAFNOSUPPORT : find_smc(self, call), ret = 0;

	if (fd < 0) {
		sockcall_fail(self->listener, call, self->is_strict && !is_left ? -fd : 0);
		return;
	}
	ret = sockcall_give(self->listener, call, fd);
	close(fd);
	/* Its descriptor table is full: its own error. A security module may still allow TCP. */
	if (ret && ret != -ENOENT)
		sockcall_fail(self->listener, call, ret == -EMFILE || self->is_strict ? -ret : 0);
}

/* ---- the process ---- */

static void *serve(void *arg)
{
	struct supervisor *self = arg;
	struct sockcall call;
	int ret;

	pthread_mutex_lock(&self->gate);
	pthread_mutex_unlock(&self->gate);
	/*
	 * An option: to see its socket, a process needs the right to trace the thread. Where TCP
	 * sockets become SMC sockets, refuse it on all: an ignored key would not show.
	 */
	do {
		ret = sockcall_receive(self->listener, &call);
		if (!ret && call.is_option)
			sockcall_fail(self->listener, &call,
				      check_thread(self, call.pid) ? 0 : ENOPROTOOPT);
		else if (!ret)
			answer_socket(self, &call);
	} while (!ret || ret == -ENOENT || ret == -EINTR);
	return NULL;
}

static bool start_threads(struct supervisor *self)
{
	pthread_attr_t attr;
	pthread_t thread;
	int started = 0;

	pthread_mutex_init(&self->gate, NULL);
	pthread_mutex_lock(&self->gate);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (int i = 0; i < THREADS; i++)
		started += !pthread_create(&thread, &attr, serve, self);
	return started;
}

/* Arguments of the command, after those of smc_run */
static void rename_self(char *const *argv)
{
	char *title = program_invocation_name, *end = title;

	for (; *argv; argv++)
		end = *argv + strlen(*argv);
	if (end > title)
		memset(title, 0, (size_t)(end - title));
	snprintf(title, (size_t)(end - title), "%s", SUPERVISOR);
	prctl(PR_SET_NAME, SUPERVISOR);
}

/* Do not kill the supervisor first when memory runs out: programs need it. Only root may set it. */
static void avoid_oom_killer(void)
{
	int fd AUTO_CLOSE = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	(void)!write(fd, "-1000", 5);
}

/* /proc must show the process ids that the kernel reports to us. */
static bool knows_processes(void)
{
	char text[16] = "";

	return readlink("/proc/self", text, sizeof(text) - 1) > 0 && atoi(text) == getpid();
}

static bool prepare(struct supervisor *self, int pair, char *const *argv)
{
	static const struct landlock_path proc = { "/proc", LANDLOCK_READ };
	const struct confine no_files = {
		.paths = &proc, .n_paths = 1, .keeps_root = true, .no_landlock = self->no_landlock
	};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	rename_self(argv);
	avoid_oom_killer();
	if (helper_detach(pair) || !knows_processes() || confine(&no_files, NULL, NULL))
		return false;
	self->netns = netns_of(self->command);
	return self->netns && start_threads(self);
}

/* smc_run waits for a byte, sends the listener, and waits until its end of @pair is closed. */
static void __attribute__((noreturn)) run(const struct supervisor *new, int pair, char *const *argv)
{
	struct supervisor self = *new;
	struct pollfd poll_fd = { .events = POLLIN };
	unsigned char byte = 0;

	if (!prepare(&self, pair, argv) || send(0, &byte, 1, MSG_NOSIGNAL) != 1)
		_exit(1);
	poll(&poll_fd, 1, -1);
	if (passfd_receive(0, &byte, &self.listener, 1))
		_exit(1);
	close(0);
	pthread_mutex_unlock(&self.gate);
	poll_fd = (struct pollfd){ .fd = self.listener };
	/* No event was requested, so this is POLLHUP: the last process that could ask has ended. */
	while (poll(&poll_fd, 1, -1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/* ---- the command ---- */

/* True if orphans would become children of this process. */
static bool is_reaper(void)
{
	int subreaper = 0;

	prctl(PR_GET_CHILD_SUBREAPER, &subreaper, 0, 0, 0);
	return getpid() == 1 || subreaper;
}

/* Return: 0, or -errno. */
static int start(const struct supervisor *new, int pair, char *const *argv)
{
	bool is_child = is_reaper();
	pid_t pid = helper_fork();
	int status;

	if (!pid) {
		if (!is_child)
			pid = helper_fork();
		if (!pid)
			run(new, pair, argv);
		_exit(pid < 0 ? -pid : 0);
	}
	if (pid < 0 || is_child)
		return pid < 0 ? pid : 0;
	while (waitpid(pid, &status, __WCLONE) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

/* Become the command once the supervisor at @to is ready. */
static enum attempt listen_for(int to, struct smc_err *err)
{
	int listener AUTO_CLOSE = sockcall_listen();

	if (listener < 0) {
		smc_err_set(err, -listener, "cannot set a seccomp filter");
		return ATTEMPT_FAILED;
	}
	if (!passfd_send(to, listener, 0))
		return ATTEMPT_DONE;
	smc_err_say(err, EPIPE, "the supervisor has ended");
	return ATTEMPT_FATAL;
}

/* @is_blind: receives whether the supervisor ended because it saw no processes */
static enum attempt give_supervisor(const struct supervisor *new, char *const *argv, bool *is_blind,
				    struct smc_err *err)
{
	enum attempt result = ATTEMPT_FAILED;
	int pair[2], ret;
	unsigned char byte;

	*is_blind = false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		smc_err_set(err, errno, "cannot start a supervisor");
		return ATTEMPT_FAILED;
	}
	ret = start(new, pair[1], argv);
	close(pair[1]);
	*is_blind = !ret && recv(pair[0], &byte, 1, 0) != 1;
	if (ret)
		smc_err_set(err, -ret, "cannot start a supervisor");
	else if (*is_blind)
		smc_err_say(err, ECHILD, "the supervisor sees no processes in /proc");
	else
		result = listen_for(pair[0], err);
	close(pair[0]);
	return result;
}

/* ---- the settings ---- */

/* An option, or its environment variable */
static const char *setting(const struct launch *launch, enum smc_variable variable)
{
	const char *value = launch->settings[variable];

	return value ? value : getenv(smc_variables[variable]);
}

/* A supervisor cannot know which descriptor a program will get, only its limit. */
static int size_setting(const struct launch *launch, enum smc_variable variable)
{
	const char *value = setting(launch, variable);
	struct smc_buffer buffer = { 0 };
	struct rlimit limit = { 0 };
	char text[BUFFER_TEXT];

	if (!value)
		value = buffers_default(variable, false, text);
	if (value)
		smc_parse_buffer(value, &buffer);
	getrlimit(RLIMIT_NOFILE, &limit);
	return smc_buffer_fits(&buffer, limit.rlim_cur) ? buffer.bytes : 0;
}

/* True if socket(2) returns SMC sockets. A system call, as a preloaded library would hide this. */
static bool makes_smc(void)
{
	int fd AUTO_CLOSE = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int domain = 0, protocol = 0;
	socklen_t len = sizeof(int);

	if (fd < 0)
		return false;
	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &len);
	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len);
	return domain == AF_SMC || protocol == IPPROTO_SMC;
}

/* Return: 0; -errno with a sentence if this command cannot or should not have a supervisor. */
static int check(const struct launch *launch, const struct target *target, struct smc_err *err)
{
	const char *misses = launch->way == WAY_SECCOMP ? NULL : sockcall_misses(target);
	int ret = misses ? 0 : kernel_has_smc();

	if (misses)
		return smc_err_say(err, ENOTSUP, "%s", misses);
	if (ret == -EAFNOSUPPORT)
		return smc_err_say(err, EAFNOSUPPORT, "%s", smc_missing());
	return ret ? smc_err_set(err, -ret, "SMC sockets cannot be opened here") : 0;
}

enum attempt supervise(const struct launch *launch, const struct target *target, char *const *argv,
		       struct smc_err *err)
{
	const char *family = setting(launch, VAR_FAMILY), *missing;
	struct supervisor new = {
		/* Use AF_SMC only if IPPROTO_SMC is missing: the program would see this family. */
		.inet = (!family || smc_wants_inet(family)) && !kernel_ipproto_smc(),
		.is_strict = launch_is_strict(launch),
		.is_locked = setting(launch, VAR_SNDBUF) || setting(launch, VAR_RCVBUF),
		.keeps_mptcp = launch_wants_mptcp(*argv),
		.command = getpid(),
	};
	enum attempt result;
	bool is_blind;

	if (check(launch, target, err))
		return ATTEMPT_FAILED;
	new.sndbuf = size_setting(launch, VAR_SNDBUF);
	new.rcvbuf = size_setting(launch, VAR_RCVBUF);
	if (makes_smc())
		return ATTEMPT_DONE;
	missing = sockcall_missing();
	if (missing) {
		smc_err_say(err, ENOSYS, "it needs %s", missing);
		return ATTEMPT_FAILED;
	}
	result = give_supervisor(&new, argv, &is_blind, err);
	if (is_blind) {
		new.no_landlock = true;
		result = give_supervisor(&new, argv, &is_blind, err);
	}
	return result;
}
