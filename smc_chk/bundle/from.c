// SPDX-License-Identifier: MIT
/* --from: what a bundle has recorded, through the same commands. */
#include "smc_chk/bundle/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "smc_chk/bundle/pack.h"
#include "smc_chk/bundle/unpack.h"
#include "smc_chk/bundle/workdir.h"
#include "sys/enclose.h"

/*
 * For what reads a bundle of any origin. The list of 100000 sockets as JSON, with the processes,
 * takes 1.2 GiB and 5 s of a slow processor.
 */
#define MEMORY_MAX (2ULL * 1024 * 1024 * 1024)
#define SECONDS_MAX 60

/* The tools that can answer from a record. */
static const char *const tools[] = {
	"smcss", "smcd", "smcr", "smc_pnet", "smc_rnics", "smc_chk", "smc_conf",
};

static int check_tool(const struct chk_request *req)
{
	const char *name = req->operands[0];

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!name || !strcmp(name, tools[i]))
			return 0;
	return cli_usage_error(&chk_tool, "'%s' cannot read a bundle: the tools are smcss, smcd, "
			       "smcr, smc_pnet, smc_rnics, smc_chk, smc_conf", name);
}

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

/* What is asked of the recorded host, as a command line of its own. */
static void make_argv(const char *argv[8], const struct chk_request *req)
{
	int n = 0;

	argv[n++] = "smc_chk";
	if (req->is_static)
		argv[n++] = "-s";
	else if (req->command || !req->iface)
		argv[n++] = "--doctor";
	if (req->iface) {
		argv[n++] = "-i";
		argv[n++] = req->iface;
	}
	if (req->is_json)
		argv[n++] = "-j";
	if (req->is_debug)
		argv[n++] = "-d";
	argv[n] = NULL;
}

/* Return: exit status of the tool, -errno. */
static int run(struct workdir *work, const struct chk_request *req, struct smc_err *err)
{
	const char *own[8];
	char root[PATH_MAX], **argv = req->operands;
	int status;

	snprintf(root, sizeof(root), "%.*s/" BUNDLE_DIRECTORY "/record", PATH_MAX - 64, work->path);
	if (setenv("SMC_TOOLS_ROOT", root, 1))
		return smc_err_set(err, errno, "cannot read %s", req->from);
	if (!*argv) {
		make_argv(own, req);
		argv = (char **)own;
	}
	status = workdir_run(work, argv, -1, -1, 0);
	if (status < 0)
		return smc_err_set(err, -status, "cannot run %s", argv[0]);
	if (*workdir_why(status) && !work->caught)
		return smc_err_say(err, EIO, "%s did not finish on %s: %s", argv[0], req->from,
				   workdir_why(status));
	return status;
}

/** struct unpacking - what the process that unpacks has: no other file, and no rights */
struct unpacking {
	const char *file;
	int fd, directory;
};

static int unpack_here(void *arg, struct smc_err *err)
{
	const struct unpacking *job = arg;
	struct archive_library lib;
	int ret = archive_load(&lib, err);

	if (!ret)
		ret = enclose(job->directory, LANDLOCK_READ | LANDLOCK_WRITE, err);
	if (!ret)
		ret = bundle_unpack(&lib, job->fd, job->directory, job->file, err);
	return ret ? ret : check_index(job->directory, job->file, err);
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

static int unpack(struct workdir *work, const char *file, struct smc_err *err)
{
	struct unpacking job = { .file = file, .fd = open(file, O_RDONLY | O_CLOEXEC) };
	char what[PATH_MAX];
	int ret;

	if (job.fd < 0)
		return smc_err_set(err, errno, "cannot open %s", file);
	job.directory = make_directory(work, err);
	snprintf(what, sizeof(what), "unpack %s", file);
	ret = job.directory < 0 ? job.directory :
				  workdir_fork(work, unpack_here, &job, what, err);
	close(job.fd);
	if (job.directory >= 0)
		close(job.directory);
	return ret;
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

/* What we start inherits it. */
static void limit(void)
{
	/* A second of grace: the kernel kills at the hard limit, and SIGXCPU tells the reason. */
	limit_one(RLIMIT_CPU, SECONDS_MAX, SECONDS_MAX + 1);
	/* A sanitizer's shadow is larger than any machine's memory. */
#ifndef __SANITIZE_ADDRESS__
	limit_one(RLIMIT_AS, MEMORY_MAX, MEMORY_MAX);
#endif
}

int chk_from(const struct chk_request *req)
{
	struct smc_err err = { 0 };
	struct workdir work;
	int ret;

	if (check_tool(req))
		return CHK_ERROR;
	ret = workdir_begin(&work, &err);
	if (ret)
		return cli_error(&chk_tool, "%s", err.text);
	limit();
	ret = unpack(&work, req->from, &err);
	if (!ret)
		ret = run(&work, req, &err);
	workdir_end(&work);
	return ret < 0 ? cli_error(&chk_tool, "%s", err.text) : ret;
}
