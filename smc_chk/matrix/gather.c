// SPDX-License-Identifier: MIT
#include "smc_chk/matrix/show.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "base/read.h"
#include "cli/screen.h"
#include "smc_chk/bundle/archive.h"

/* Timeout for a host that hangs; one with very many sockets may take this long. */
#define SSH_SECONDS 120
#define SSH_CONNECT "10"
/* Parallel jobs: ssh sessions wait for others, readers of bundles use local processors. */
#define SSH_WORKERS 16
#define WORKERS_MAX 64
#define ERROR_SIZE 2048
#define MEMORY "/dev/shm"

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

/* Return: a descriptor of a bundle, -errno with @err. */
static int collect(struct workdir *work, const char *host, struct smc_err *err)
{
	const char *const argv[] = {
		"ssh", "-n", "-o",	"BatchMode=yes", "-o", "ConnectTimeout=" SSH_CONNECT,
		"--",  host, "smc_chk", "bundle",	 "-",  NULL
	};
	int fd = openat(work->fd, "collected", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int errors = memfd_create("errors", MFD_CLOEXEC), status = -EIO;
	char text[ERROR_SIZE];

	if (fd >= 0 && errors >= 0)
		status = workdir_run(work, (char *const *)argv, fd, errors, SSH_SECONDS);
	if (status == 128 + SIGKILL)
		smc_err_say(err, ETIMEDOUT, "%s: no bundle within %d seconds", host, SSH_SECONDS);
	else if (status < 0)
		smc_err_set(err, -status, "%s: cannot run ssh", host);
	else if (status)
		smc_err_say(err, EIO, "%s: %s", host, last_line(text, errors));
	else
		lseek(fd, 0, SEEK_SET);
	if (errors >= 0)
		close(errors);
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

/* Read the names of host and network namespace from the index. */
static void read_name(char name[PREDICT_NAME_SIZE], int directory)
{
	int fd = openat(directory, "index.json", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	json_t *json = json_loadfd(fd, 0, NULL);
	const char *host = "", *netns = "";

	json_unpack(json, "{s?s, s?s}", "host", &host, "netns", &netns);
	snprintf(name, PREDICT_NAME_SIZE, "%s%s%s", host, *netns ? "/" : "", netns);
	json_decref(json);
	close(fd);
}

/* Read an unpacked bundle, whose content is untrusted. */
static int read_here(void *arg, int directory, struct smc_err *err)
{
	const struct reading *job = arg;
	char name[PREDICT_NAME_SIZE];
	struct smc_err inner = { 0 };
	int ret;

	read_name(name, directory);
	if (setenv("SMC_TOOLS_ROOT", "record", 1))
		ret = smc_err_set(&inner, errno, "cannot read it");
	else
		ret = matrix_host_write(name, job->out, &inner);
	return ret ? smc_err_say(err, inner.code, "%s: %s", job->file, inner.text) : 0;
}

static int read_host(const char *name, int out, struct smc_err *err)
{
	struct reading job = { name, out };
	int fd = is_bundle(name) ? smc_open_regular(name, err) : -1, ret;
	struct workdir work;

	if (err->code)
		return -err->code;
	ret = workdir_begin(&work, err);
	if (!ret && fd < 0)
		fd = collect(&work, name, err);
	if (ret || fd < 0)
		ret = -err->code;
	else
		ret = bundle_read(&work, fd, name, read_here, &job, err);
	if (fd >= 0)
		close(fd);
	if (work.fd >= 0)
		workdir_end(&work);
	return ret;
}

/* ---- several at a time ---- */

/** struct work - shared by all workers; @workers: number of them */
struct work {
	struct gathered *all;
	struct workdir top;
	size_t workers;
};

/*
 * File with the result of a host: an error code, with the host if 0. @end: ".part" while
 * incomplete
 */
static void result_path(char path[PATH_MAX], const struct work *work, size_t i, const char *end)
{
	snprintf(path, PATH_MAX, "%.*s/%zu%s", PATH_MAX - 32, work->top.path, i, end);
}

static void work_on(const struct work *work, size_t i)
{
	struct smc_err err = { 0 };
	char path[PATH_MAX], done[PATH_MAX];
	int fd;

	result_path(path, work, i, ".part");
	result_path(done, work, i, "");
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	lseek(fd, sizeof(err), SEEK_SET);
	if (read_host(work->all->names[i], fd, &err) && !err.code)
		err.code = EIO;
	if (pwrite(fd, &err, sizeof(err), 0) == sizeof(err))
		rename(path, done);
	close(fd);
}

/*
 * Handle every @workers-th host. Readers of untrusted bytes see neither @work->top nor other
 * results.
 */
static void __attribute__((noreturn)) be_worker(struct work *work, size_t first, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	close(work->top.fd);
	close(work->top.signals);
	sigprocmask(SIG_SETMASK, &work->top.before, NULL);
	bundle_limit();
	for (size_t i = first; i < work->all->count && getppid() == parent; i += work->workers)
		work_on(work, i);
	_exit(0);
}

/* Show on a terminal which hosts are still awaited. */
static void show_progress(const struct work *work)
{
	const struct gathered *all = work->all;
	size_t done = 0, first = all->count;
	char path[PATH_MAX];

	for (size_t i = 0; isatty(STDERR_FILENO) && i < all->count; i++) {
		result_path(path, work, i, "");
		if (!access(path, F_OK))
			done++;
		else if (first == all->count)
			first = i;
	}
	if (first < all->count)
		cli_progress("reading hosts: %zu of %zu, waiting for %s", done, all->count,
			     all->names[first]);
}

/* @pids: those that have ended become 0 */
static void await(struct work *work, pid_t *pids)
{
	struct pollfd wait = { .fd = work->top.signals, .events = POLLIN };
	bool is_told = false;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
		for (size_t i = 0; pid && i < work->workers; i++)
			pids[i] = pids[i] == pid ? 0 : pids[i];
		if (pid)
			continue;
		if (!poll(&wait, 1, 1000))
			show_progress(work);
		if (is_told || !workdir_is_stopped(&work->top))
			continue;
		for (size_t i = 0; i < work->workers; i++) {
			if (pids[i])
				kill(pids[i], SIGTERM);
		}
		is_told = true;
	}
}

static int take_result(const struct work *work, size_t i, struct smc_err *err)
{
	struct predict_host *host = &work->all->hosts[i];
	const char *name = work->all->names[i];
	char path[PATH_MAX];
	int fd, ret;

	result_path(path, work, i, "");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, err, sizeof(*err), 0) != sizeof(*err))
		smc_err_say(err, EIO, "cannot read %s", name);
	err->text[sizeof(err->text) - 1] = '\0';
	ret = err->code ? -err->code : matrix_host_read(host, fd, sizeof(*err), err);
	if (fd >= 0)
		close(fd);
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

static int run_workers(struct work *work, struct smc_err *err)
{
	pid_t parent = getpid(), pids[WORKERS_MAX];
	size_t started = 0;

	for (; started < work->workers; started++) {
		pids[started] = fork();
		if (!pids[started])
			be_worker(work, started, parent);
		if (pids[started] < 0)
			break;
	}
	work->workers = started;
	await(work, pids);
	cli_progress_end();
	if (!started)
		return smc_err_set(err, EAGAIN, "cannot start a process");
	return work->top.caught ? smc_err_set(err, EINTR, "stopped") : 0;
}

/*
 * Unpacked files live for milliseconds: a disk file system takes ten times as long as memory to
 * create and remove them. Needs room for a bundle of the largest size per worker.
 */
static void prefer_memory(const struct work *work)
{
	struct statvfs room;

	if (!secure_getenv("TMPDIR") && !access(MEMORY, W_OK | X_OK) && !statvfs(MEMORY, &room) &&
	    (uint64_t)room.f_bavail * room.f_frsize / work->workers > PACK_MAX_BYTES)
		setenv("TMPDIR", MEMORY, 1);
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
	work.workers = count_workers(all);
	prefer_memory(&work);
	ret = workdir_begin(&work.top, err);
	if (ret)
		return ret;
	ret = run_workers(&work, err);
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
