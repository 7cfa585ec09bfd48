// SPDX-License-Identifier: MIT
#include "smc_chk/matrix/show.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "base/read.h"
#include "cli/screen.h"
#include "smc_chk/bundle/archive.h"

/* Timeout for a host that hangs; one with very many sockets may take this long. */
#define SSH_SECONDS 120
#define SSH_CONNECT "10"
/* Processes at a time: ssh sessions wait for others, readers of bundles use local processors. */
#define SSH_WORKERS 16
#define WORKERS_MAX 64
#define ERROR_SIZE 2048
/* Maximum of what a host sends, on each of ssh's two outputs: bundles are compressed tenfold. */
#define SENT_MAX (PACK_MAX_BYTES / 8)

static bool is_bundle(const char *name)
{
	return strchr(name, '/') || !fnmatch("?*.tar.gz", name, 0) || !fnmatch("?*.tgz", name, 0);
}

/* ---- one host ---- */

/* Last line of standard error: lines before it may be a banner. */
static const char *last_line(char text[ERROR_SIZE], int fd)
{
	ssize_t len = pread(fd, text, ERROR_SIZE - 1, 0);
	char *line;

	for (; len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'); len--)
		;
	text[len > 0 ? len : 0] = '\0';
	line = strrchr(text, '\n');
	return line ? line + 1 : *text ? text : "ssh failed without a message";
}

/* A host is not trusted: limit the files of ssh, also those in memory. Return: as workdir_run() */
static int run_ssh(struct workdir *work, char *const argv[], int out, int errors)
{
	struct rlimit before, limit;
	int status;

	if (getrlimit(RLIMIT_FSIZE, &before))
		return -errno;
	limit = before;
	limit.rlim_cur = limit.rlim_cur < SENT_MAX ? limit.rlim_cur : SENT_MAX;
	setrlimit(RLIMIT_FSIZE, &limit);
	status = workdir_run(work, argv, out, errors, SSH_SECONDS);
	setrlimit(RLIMIT_FSIZE, &before);
	return status;
}

/* Return: a descriptor of a bundle, -errno with @err. */
static int collect(struct workdir *work, const char *host, struct smc_err *err)
{
	const char *const argv[] = {
		"ssh", "-n", "-o",	"BatchMode=yes", "-o", "ConnectTimeout=" SSH_CONNECT,
		"--",  host, "smc_chk", "bundle",	 "-",  NULL
	};
	int fd = openat(work->fd, "collected", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int errors AUTO_CLOSE = memfd_create("errors", MFD_CLOEXEC), status = -EIO;
	char text[ERROR_SIZE];

	if (fd >= 0 && errors >= 0)
		status = run_ssh(work, (char *const *)argv, fd, errors);
	if (status == 128 + SIGKILL)
		smc_err_say(err, ETIMEDOUT, "%s: no bundle within %d seconds", host, SSH_SECONDS);
	else if (status < 0)
		smc_err_set(err, -status, "%s: cannot run ssh", host);
	else if (status == 128 + SIGXFSZ)
		smc_err_say(err, EFBIG, "%s: %s", host, workdir_why(status));
	else if (status)
		smc_err_say(err, EIO, "%s: %s", host, last_line(text, errors));
	else
		lseek(fd, 0, SEEK_SET);
	if (!status)
		return fd;
	if (fd >= 0)
		close(fd);
	return -err->code;
}

/** struct reading - @file: name of the bundle; @out: descriptor for the result */
struct reading {
	const char *file;
	int out;
};

/* Read an unpacked bundle, whose content is untrusted. */
static int read_here(void *arg, int directory, struct smc_err *err)
{
	const struct reading *job = arg;
	int fd AUTO_CLOSE = openat(directory, "index.json", O_RDONLY | O_NOFOLLOW | O_CLOEXEC), ret;
	json_auto_t *json = json_loadfd(fd, 0, NULL);
	const char *host = "", *netns = "";
	char name[PREDICT_NAME_SIZE];
	struct smc_err inner = { 0 };

	json_unpack(json, "{s?s, s?s}", "host", &host, "netns", &netns);
	snprintf(name, sizeof(name), "%s%s%s", host, *netns ? "/" : "", netns);
	if (setenv("SMC_TOOLS_ROOT", "record", 1))
		ret = smc_err_set(&inner, errno, "cannot read it");
	else
		ret = matrix_host_write(name, job->out, &inner);
	return ret ? smc_err_say(err, inner.code, "%s: %s", job->file, inner.text) : 0;
}

static int read_host(const char *name, int out, struct smc_err *err)
{
	struct reading job = { name, out };
	int fd AUTO_CLOSE = is_bundle(name) ? smc_open_regular(name, err) : -1, ret;
	struct workdir work;

	if (err->code || workdir_begin(&work, err))
		return -err->code;
	if (fd < 0)
		fd = collect(&work, name, err);
	ret = fd < 0 ? fd : bundle_read(&work, fd, name, read_here, &job, err);
	workdir_end(&work);
	return ret;
}

/* ---- several at a time ---- */

/**
 * struct work - processes that read a host each
 * @pids: those of the first @next hosts; 0 after their end
 */
struct work {
	struct gathered *all;
	struct workdir top;
	pid_t *pids;
	size_t next, running, most;
};

/* File with the result of a host: an error code, with the host if 0. */
static void result_path(char path[PATH_MAX], const struct work *work, size_t i)
{
	snprintf(path, PATH_MAX, "%.*s/%zu", PATH_MAX - 32, work->top.path, i);
}

/* Readers of untrusted bytes see neither @work->top nor other results. */
static void __attribute__((noreturn)) be_reader(struct work *work, size_t i, pid_t parent)
{
	struct smc_err err = { 0 };
	char path[PATH_MAX];
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	close(work->top.fd);
	close(work->top.signals);
	sigprocmask(SIG_SETMASK, &work->top.before, NULL);
	bundle_limit();
	result_path(path, work, i);
	fd = getppid() == parent ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	if (fd < 0)
		_exit(1);
	lseek(fd, sizeof(err), SEEK_SET);
	if (read_host(work->all->names[i], fd, &err) && !err.code)
		err.code = EIO;
	_exit(pwrite(fd, &err, sizeof(err), 0) != sizeof(err));
}

/* Start processes up to the limit, which is lower if the system has no more. */
static void start_readers(struct work *work)
{
	const pid_t parent = getpid();

	for (; work->running < work->most && work->next < work->all->count; work->next++) {
		pid_t pid = fork();

		if (!pid)
			be_reader(work, work->next, parent);
		if (pid < 0) {
			work->most = work->running;
			return;
		}
		work->pids[work->next] = pid;
		work->running++;
	}
}

/* Show on a terminal which hosts are still awaited. */
static void show_progress(const struct work *work)
{
	for (size_t i = 0; i < work->next; i++)
		if (work->pids[i]) {
			cli_progress("reading hosts: %zu of %zu, waiting for %s",
				     work->next - work->running, work->all->count,
				     work->all->names[i]);
			return;
		}
}

static int run_readers(struct work *work, struct smc_err *err)
{
	struct pollfd wait = { .fd = work->top.signals, .events = POLLIN };
	int status;
	pid_t pid;

	for (start_readers(work); work->running; start_readers(work)) {
		if (!poll(&wait, 1, 1000))
			show_progress(work);
		if (workdir_is_stopped(&work->top) && work->most) {
			for (size_t i = 0; i < work->next; i++)
				if (work->pids[i])
					kill(work->pids[i], SIGTERM);
			work->most = 0;
		}
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			size_t i = 0;

			while (i < work->next && work->pids[i] != pid)
				i++;
			if (i == work->next)
				continue; /* a child of an earlier program of this process */
			work->pids[i] = 0;
			work->running--;
			if (status)
				smc_err_say(&work->all->errors[i], EIO, "cannot read %s",
					    work->all->names[i]);
		}
	}
	cli_progress_end();
	if (work->top.caught)
		return smc_err_set(err, EINTR, "stopped");
	return work->most ? 0 : smc_err_set(err, EAGAIN, "cannot start a process");
}

static int take_result(const struct work *work, size_t i, struct smc_err *err)
{
	struct predict_host *host = &work->all->hosts[i];
	const char *name = work->all->names[i];
	int fd AUTO_CLOSE = -1, ret;
	char path[PATH_MAX];

	if (err->code)
		return -err->code;
	result_path(path, work, i);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, err, sizeof(*err), 0) != sizeof(*err))
		smc_err_say(err, EIO, "cannot read %s", name);
	err->text[sizeof(err->text) - 1] = '\0';
	ret = err->code ? -err->code : matrix_host_read(host, fd, sizeof(*err), err);
	/* Hosts keep the name that the caller used. */
	if (!ret && (!is_bundle(name) || !*host->name))
		matrix_host_set_name(host, name);
	return ret;
}

static size_t count_workers(const struct gathered *all)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t workers = processors > 1 ? (size_t)processors : 1;

	for (size_t i = 0; i < all->count && workers < SSH_WORKERS; i++)
		if (!is_bundle(all->names[i]))
			workers = SSH_WORKERS;
	if (workers > WORKERS_MAX)
		workers = WORKERS_MAX;
	return workers < all->count ? workers : all->count;
}

/* Rename hosts of equal names. */
static void tell_apart(struct gathered *all)
{
	for (size_t i = 0; i < all->count; i++) {
		for (size_t k = i + 1; k < all->count; k++) {
			struct predict_host *host = &all->hosts[k];
			char name[PREDICT_NAME_SIZE];

			if (!*host->name || strcmp(host->name, all->hosts[i].name))
				continue;
			snprintf(name, sizeof(name), "%.100s#%zu", host->name, k + 1);
			memcpy(host->name, name, sizeof(name));
		}
	}
}

/*
 * Unpacked files live for milliseconds: a disk file system takes ten times as long as memory to
 * create and remove them. Needs room for a bundle of the largest size per worker, and its archive.
 */
static void prefer_memory(const struct work *work)
{
	struct statvfs room;

	if (!secure_getenv("TMPDIR") && !access(WORKDIR_MEMORY, W_OK | X_OK) &&
	    !statvfs(WORKDIR_MEMORY, &room) &&
	    (uint64_t)room.f_bavail * room.f_frsize / work->most > PACK_MAX_BYTES + SENT_MAX)
		setenv("TMPDIR", WORKDIR_MEMORY, 1);
}

int gather(struct gathered *all, char *const *names, struct smc_err *err)
{
	struct work work = { .all = all };
	int ret;

	*all = (struct gathered){ .names = names };
	while (names[all->count])
		all->count++;
	all->hosts = xcalloc(all->count, sizeof(*all->hosts));
	all->good = xcalloc(all->count, sizeof(*all->good));
	all->errors = xcalloc(all->count, sizeof(*all->errors));
	work.most = count_workers(all);
	prefer_memory(&work);
	ret = workdir_begin(&work.top, err);
	if (ret)
		return ret;
	work.pids = xcalloc(all->count, sizeof(*work.pids));
	ret = run_readers(&work, err);
	free(work.pids);
	for (size_t i = 0; !ret && i < all->count; i++)
		if (!take_result(&work, i, &all->errors[i]))
			all->good[all->n_good++] = &all->hosts[i];
	workdir_end(&work.top);
	tell_apart(all);
	return ret;
}

void gather_free(struct gathered *all)
{
	for (size_t i = 0; all->hosts && i < all->count; i++)
		matrix_host_free(&all->hosts[i]);
	free(all->hosts);
	free(all->good);
	free(all->errors);
}
