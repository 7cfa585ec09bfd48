// SPDX-License-Identifier: MIT
/* A bundle of any origin, unpacked for those who read it. */
#include "smc_chk/bundle/open.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "sandbox/enclose.h"

/*
 * For what reads a bundle of any origin. The list of 100000 sockets as JSON, with the processes,
 * takes 1.2 GiB and 5 s of a slow processor.
 */
#define MEMORY_MAX (2ULL * 1024 * 1024 * 1024)
#define SECONDS_MAX 60

static int check_index(int directory, const char *file, struct smc_err *err)
{
	int fd = openat(directory, "index.json", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	const char *schema = "";
	json_t *json = fd < 0 ? NULL : json_loadfd(fd, 0, NULL);
	int ret = 0;

	if (fd >= 0)
		close(fd);
	json_unpack(json, "{s?s}", "schema", &schema);
	if (strcmp(schema, BUNDLE_SCHEMA))
		ret = smc_err_say(err, EINVAL,
				  "%s is not a bundle of this version: no " BUNDLE_SCHEMA, file);
	json_decref(json);
	return ret;
}

/** struct opening - @directory: what the next process works in */
struct opening {
	const char *file;
	int fd, directory;
	bundle_fn fn;
	void *arg;
};

static int unpack_here(void *arg, struct smc_err *err)
{
	const struct opening *job = arg;

	return bundle_unpack(job->fd, job->directory, job->file, err);
}

static int read_here(void *arg, struct smc_err *err)
{
	const struct opening *job = arg;
	int ret = enclose(job->directory, LANDLOCK_READ, err);

	if (!ret)
		ret = check_index(job->directory, job->file, err);
	return ret || !job->fn ? ret : job->fn(job->arg, job->directory, err);
}

/* The directory is nobody's if this is root: those who read it become nobody. */
static int make_directory(const struct workdir *work)
{
	int fd = -1;

	if (!mkdirat(work->fd, "unpacked", 0700))
		fd = openat(work->fd, "unpacked", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* It stays root's in a user namespace without nobody, where that is all one. */
	if (fd >= 0 && !geteuid() && fchown(fd, CONFINE_NOBODY, CONFINE_NOBODY) &&
	    errno != EINVAL && errno != EPERM) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int fork_in(struct workdir *work, struct opening *job, workdir_fn fn, const char *doing,
		   struct smc_err *err)
{
	char what[PATH_MAX];
	int ret;

	if (job->directory < 0)
		return smc_err_set(err, errno, "cannot unpack into %s", work->path);
	snprintf(what, sizeof(what), "%s %s", doing, job->file);
	ret = workdir_fork(work, fn, job, what, err);
	close(job->directory);
	return ret;
}

int bundle_read(struct workdir *work, int fd, const char *file, bundle_fn fn, void *arg,
		struct smc_err *err)
{
	struct opening job = { file, fd, make_directory(work), fn, arg };
	int ret = fork_in(work, &job, unpack_here, "unpack", err);

	if (ret)
		return ret;
	job.directory =
		openat(work->fd, OPEN_DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fork_in(work, &job, read_here, "read", err);
}

static void limit_one(int resource, rlim_t soft, rlim_t hard)
{
	struct rlimit now;

	if (getrlimit(resource, &now))
		return;
	now.rlim_cur = now.rlim_cur < soft ? now.rlim_cur : soft;
	now.rlim_max = now.rlim_max < hard ? now.rlim_max : hard;
	setrlimit(resource, &now);
}

void bundle_limit(void)
{
	/* A second of grace: the kernel kills at the hard limit, and SIGXCPU tells the reason. */
	limit_one(RLIMIT_CPU, SECONDS_MAX, SECONDS_MAX + 1);
	/* A sanitizer's shadow is larger than any machine's memory. */
#ifndef __SANITIZE_ADDRESS__
	limit_one(RLIMIT_AS, MEMORY_MAX, MEMORY_MAX);
#endif
}
