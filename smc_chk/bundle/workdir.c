// SPDX-License-Identifier: MIT
#include "smc_chk/bundle/workdir.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/array.h"
#include "base/clock.h"
#include "process/self.h"
#include "process/signals.h"

extern char **environ;

/* Directory of this process, for remove_at_exit(); a child may have its own. */
static const struct workdir *left_over;
static pid_t owner;

#define PREFIX "smc_chk.tmp."
#define RANDOM "XXXXXX"

static void empty(int directory);
static void each_entry(int directory, void (*fn)(int directory, const char *name));

/* Running out of memory ends the tool anywhere, see base/memory.h. */
static void remove_at_exit(void)
{
	if (getpid() != owner)
		return;
	empty(left_over->fd);
	rmdir(left_over->path);
}

/* A killed process leaves its directory, which is then unlocked. */
static void remove_abandoned(int top, const char *name)
{
	struct stat st;
	int fd;

	if (strncmp(name, PREFIX, strlen(PREFIX)) || strlen(name) != strlen(PREFIX RANDOM))
		return;
	fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB)) {
		empty(fd);
		unlinkat(top, name, AT_REMOVEDIR);
	}
	close(fd);
}

/* Make and lock a directory, which another process may remove in between. */
static int make_locked(char path[PATH_MAX], const char *tmp)
{
	struct stat st;
	int fd;

	for (;;) {
		snprintf(path, PATH_MAX, "%s/" PREFIX RANDOM, tmp);
		if (!mkdtemp(path))
			return -1;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 && errno != ENOENT)
			break;
		if (fd >= 0 && (flock(fd, LOCK_EX) || (!fstat(fd, &st) && st.st_nlink)))
			break;
		close(fd);
	}
	if (fd < 0)
		rmdir(path);
	return fd;
}

int workdir_begin(struct workdir *work, struct smc_err *err)
{
	/* Signals that would end this process. */
	static const int numbers[] = { SIGHUP,	SIGINT,	 SIGQUIT,   SIGPIPE, SIGALRM, SIGTERM,
				       SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU };
	const char *tmp = secure_getenv("TMPDIR");
	int top AUTO_CLOSE = -1;
	sigset_t ends;

	*work = (struct workdir){ .signals = -1, .fd = -1 };
	if (!tmp || *tmp != '/')
		tmp = "/tmp";
	if (strlen(tmp) + sizeof("/" PREFIX RANDOM) > sizeof(work->path))
		return smc_err_set(err, ENAMETOOLONG, "cannot work in %s", tmp);
	signals_heeded(&ends, numbers, ARRAY_SIZE(numbers));
	sigaddset(&ends, SIGCHLD);
	work->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	if (work->signals < 0)
		return smc_err_set(err, errno, "cannot wait for signals");
	sigprocmask(SIG_BLOCK, &ends, &work->before);
	umask(077);
	top = open(tmp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top >= 0)
		each_entry(top, remove_abandoned);
	work->fd = make_locked(work->path, tmp);
	if (work->fd >= 0) {
		left_over = work;
		owner = getpid();
		atexit(remove_at_exit);
		return 0;
	}
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

/* Return: exit status, 128 + the signal that ended it, -errno. */
static int await(struct workdir *work, pid_t pid, int seconds)
{
	struct pollfd wait = { .fd = work->signals, .events = POLLIN };
	int64_t end = clock_ns(CLOCK_MONOTONIC) + seconds * 1000000000LL;
	int ret, status, sent = 0;

	while (!(ret = waitpid(pid, &status, WNOHANG))) {
		poll(&wait, 1, 1000);
		if (workdir_is_stopped(work) && !sent)
			kill(pid, sent = work->caught);
		if (seconds && clock_ns(CLOCK_MONOTONIC) > end)
			kill(pid, SIGKILL);
	}
	if (ret < 0)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int workdir_run(struct workdir *work, char *const argv[], int out, int errors, int seconds)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	char path[PATH_MAX];
	sigset_t heeded;
	int code = 0;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &work->before);
	sigemptyset(&heeded);
	sigaddset(&heeded, SIGXFSZ);
	posix_spawnattr_setsigdefault(&attr, &heeded);
	if (out >= 0)
		code = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	if (!code && errors >= 0)
		code = posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
	if (!code)
		code = posix_spawnp(&pid, self_find(argv[0], X_OK, path) ? path : argv[0], &files,
				    &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return code ? -code : await(work, pid, seconds);
}

const char *workdir_why(int status)
{
	switch (status - 128) {
	case SIGXCPU: return "it took too much processor time";
	case SIGXFSZ: return "its output is too large";
	case SIGSEGV:
	case SIGBUS:
	case SIGABRT:
	case SIGILL:
	case SIGFPE:
	case SIGSYS: return "it crashed";
	case SIGKILL: return "it was killed";
	default: return "";
	}
}

/* ---- a process of our own ---- */

static void __attribute__((noreturn))
be_child(const struct workdir *work, workdir_fn fn, void *arg, struct smc_err *said, pid_t parent)
{
	/* A directory outside of the sandbox would be a way out. */
	close(work->fd);
	close(work->signals);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, &work->before, NULL);
	/* The child prints nothing: its parent prints one message. */
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
	_exit(getppid() != parent || fn(arg, said));
}

int workdir_fork(struct workdir *work, workdir_fn fn, void *arg, const char *what,
		 struct smc_err *err)
{
	struct smc_err *said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), pid = said == MAP_FAILED ? -1 : fork();
	const char *why;
	int status;

	if (!pid)
		be_child(work, fn, arg, said, parent);
	status = pid < 0 ? -errno : await(work, pid, 0);
	if (status > 0)
		*err = *said;
	if (said != MAP_FAILED)
		munmap(said, sizeof(*said));
	why = status == 1 ? "out of memory" : workdir_why(status);
	if (workdir_is_stopped(work))
		smc_err_set(err, EINTR, "stopped");
	else if (status < 0)
		smc_err_set(err, -status, "cannot %s", what);
	else if (status && !err->code)
		smc_err_say(err, EIO, "cannot %s: %s", what, *why ? why : "it was stopped");
	if (!status && !work->caught)
		return 0;
	/* The process may have been compromised: its text can be anything. */
	err->text[sizeof(err->text) - 1] = '\0';
	return err->code > 0 ? -err->code : -EIO;
}

/* Entry of getdents64(2); readdir(3) would need memory. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t len;
	uint8_t type;
	char name[];
};

static void remove_one(int directory, const char *name)
{
	int fd;

	if (!strcmp(name, ".") || !strcmp(name, "..") || !unlinkat(directory, name, 0))
		return;
	fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		empty(fd);
		close(fd);
	}
	unlinkat(directory, name, AT_REMOVEDIR);
}

/* Removing entries while reading is safe, as POSIX says for readdir(3). */
static void each_entry(int directory, void (*fn)(int directory, const char *name))
{
	_Alignas(struct entry) char block[4096];
	ssize_t len, at;

	while ((len = syscall(SYS_getdents64, directory, block, sizeof(block))) > 0)
		for (at = 0; at < len; at += ((struct entry *)(block + at))->len)
			fn(directory, ((struct entry *)(block + at))->name);
}

static void empty(int directory)
{
	each_entry(directory, remove_one);
}

void workdir_end(struct workdir *work)
{
	empty(work->fd);
	rmdir(work->path);
	close(work->fd);
	owner = 0;
	workdir_is_stopped(work);
	close(work->signals);
	sigprocmask(SIG_SETMASK, &work->before, NULL);
	if (work->caught)
		raise(work->caught);
}
