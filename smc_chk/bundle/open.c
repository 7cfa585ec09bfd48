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

#include "smc_chk/bundle/pack.h"
#include "sys/enclose.h"

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

/** struct unpacking - what the process that unpacks has: no other file, and no rights */
struct unpacking {
	const char *file;
	int fd, directory;
	unpack_wants wants;
	bundle_fn fn;
	void *arg;
};

static int unpack_here(void *arg, struct smc_err *err)
{
	const struct unpacking *job = arg;
	struct archive_library lib;
	int ret = archive_load(&lib, err);

	if (!ret)
		ret = enclose(job->directory, LANDLOCK_READ | LANDLOCK_WRITE, err);
	if (!ret)
		ret = bundle_unpack(&lib, job->fd, job->directory, job->file, job->wants, err);
	if (!ret)
		ret = check_index(job->directory, job->file, err);
	return ret || !job->fn ? ret : job->fn(job->arg, job->directory, err);
}

/* The directory is nobody's if this is root: those who read it become nobody. */
static int make_directory(struct workdir *work, struct smc_err *err)
{
	int fd = -1;

	if (!mkdirat(work->fd, BUNDLE_DIRECTORY, 0700))
		fd = openat(work->fd, BUNDLE_DIRECTORY,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* It stays root's in a user namespace without nobody, where that is all one. */
	if (fd >= 0 && !geteuid() && fchown(fd, CONFINE_NOBODY, CONFINE_NOBODY) &&
	    errno != EINVAL && errno != EPERM) {
		close(fd);
		fd = -1;
	}
	return fd < 0 ? smc_err_set(err, errno, "cannot unpack into %s", work->path) : fd;
}

static int open_with(struct workdir *work, struct unpacking *job, const char *doing,
		     struct smc_err *err)
{
	char what[PATH_MAX];
	int ret;

	job->directory = make_directory(work, err);
	if (job->directory < 0)
		return job->directory;
	snprintf(what, sizeof(what), "%s %s", doing, job->file);
	ret = workdir_fork(work, unpack_here, job, what, err);
	close(job->directory);
	return ret;
}

int bundle_open(struct workdir *work, int fd, const char *file, struct smc_err *err)
{
	struct unpacking job = { .file = file, .fd = fd };

	return open_with(work, &job, "unpack", err);
}

int bundle_read(struct workdir *work, int fd, const char *file, unpack_wants wants, bundle_fn fn,
		void *arg, struct smc_err *err)
{
	struct unpacking job = { file, fd, -1, wants, fn, arg };

	return open_with(work, &job, "read", err);
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
