// SPDX-License-Identifier: MIT
/* bundle: collect facts about this host for support, in one private file; from: read it. */
#include <endian.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <time.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/read.h"
#include "host/record.h"
#include "out/table.h"
#include "out/units.h"
#include "process/ask.h"
#include "process/signals.h"
#include "smc_chk/bundle/collect.h"
#include "smc_chk/bundle/archive.h"
#include "version.h"

static json_t *new_index(const struct chk_request *req, const struct utsname *name)
{
	time_t now = time(NULL);
	char when[32] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o*, s:[]}", "schema", BUNDLE_SCHEMA,
			 "created", when, "version", SMC_TOOLS_VERSION, "host", name->nodename,
			 "kernel", name->release, "machine", name->machine, "byte_order",
			 __BYTE_ORDER == __BIG_ENDIAN ? "big" : "little", "netns",
			 chk_json_optional(req->netns), "commands");
}

/* struct target - @temporary: name of the new file until it is complete; @fd: descriptor */
struct target {
	char temporary[PATH_MAX];
	int fd;
};

/* Open a new file, or standard output. Return: 0; -errno with @err. */
static int open_target(struct target *target, const char *file, struct smc_err *err)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	struct stat st;

	if (!strcmp(file, "-")) {
		target->fd = STDOUT_FILENO;
		return !isatty(STDOUT_FILENO) ?
			       0 :
			       smc_err_say(err, EINVAL, "cannot write a bundle to a terminal");
	}
	errno = ENAMETOOLONG;
	if (snprintf(target->temporary, PATH_MAX, "%.*s.%s.%ld", (int)(name - file), file, name,
		     (long)getpid()) < PATH_MAX) {
		unlink(target->temporary);
		errno = *name ? EEXIST : EISDIR;
		if (*name && lstat(file, &st))
			target->fd = open(target->temporary,
					  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	return target->fd < 0 ? smc_err_set(err, errno, "cannot write %s", file) : 0;
}

/* Never replace a file. Some file systems have no hard links, others cannot rename this way. */
static int publish(const struct target *target, const char *file, struct smc_err *err)
{
	if (fsync(target->fd) ||
	    (link(target->temporary, file) &&
	     (errno == EEXIST || syscall(SYS_renameat2, AT_FDCWD, target->temporary, AT_FDCWD, file,
					 RENAME_NOREPLACE))))
		return smc_err_set(err, errno, "cannot write %s", file);
	return 0;
}

static void close_target(const struct target *target)
{
	if (target->fd <= STDOUT_FILENO)
		return;
	close(target->fd);
	unlink(target->temporary);
}

static int finish(struct collection *b, const struct target *target)
{
	struct pack_size size = { 0 };
	char path[PATH_MAX], unpacked[OUT_UNITS];
	int ret;

	snprintf(path, sizeof(path), "%.*s%s", PATH_MAX - 32, b->work.path,
		 b->req->is_anonymous ? "/" ANONYMOUS : "");
	ret = bundle_pack(&b->work, target->fd, path, &size, b->err);
	if (!ret && target->fd != STDOUT_FILENO)
		ret = publish(target, b->req->object, b->err);
	if (ret || target->fd == STDOUT_FILENO)
		return ret;
	printf("%s: %llu files, %s unpacked; smc_chk from reads them\n", b->req->object, size.files,
	       out_size(unpacked, size.bytes));
	return 0;
}

int chk_bundle(const struct chk_request *req)
{
	struct pseudonyms all = { 0 };
	struct utsname name = { 0 };
	struct smc_err err = { 0 };
	struct collection b = { .req = req, .err = &err };
	struct target target = { .fd = -1 };
	bool is_failed;

	if (record_root())
		return cli_error(&chk_tool, "this is a recorded host: it has a bundle already");
	if ((req->is_anonymous && anonymous_key(&all, req->key, &err)) ||
	    workdir_begin(&b.work, &err))
		return cli_error(&chk_tool, "%s", err.text);
	/* Pseudonyms replace only this name of the host; other names are not known. */
	uname(&name);
	snprintf(all.host, sizeof(all.host), "%s", name.nodename);
	b.index = new_index(req, &name);
	is_failed = open_target(&target, req->object, &err) || collect(&b) ||
		    (req->is_anonymous && anonymous_make(&b, &all)) || finish(&b, &target);
	close_target(&target);
	json_decref(b.index);
	workdir_end(&b.work);
	return is_failed ? cli_error(&chk_tool, "%s", err.text) : CHK_OK;
}

/* ---- from: what a bundle has recorded, through the same commands ---- */

/* Return: exit status of the tool, -errno. */
static int run_tool(struct workdir *work, const struct chk_request *req, struct smc_err *err)
{
	static const char *const tools[] = { "smcss",	  "smcd",    "smcr",	"smc_pnet",
					     "smc_rnics", "smc_chk", "smc_conf" };
	char root[PATH_MAX], **argv = req->operands;
	bool is_tool = false;
	int status;

	for (size_t i = 0; argv[1] && i < ARRAY_SIZE(tools); i++)
		is_tool |= !strcmp(argv[1], tools[i]);
	/* Without the name of a tool, the words are a command of smc_chk. */
	argv += is_tool;
	if (!is_tool)
		argv[0] = (char *)"smc_chk";
	snprintf(root, sizeof(root), "%.*s/" OPEN_DIRECTORY "/record", PATH_MAX - 64, work->path);
	if (setenv("SMC_TOOLS_ROOT", root, 1))
		return smc_err_set(err, errno, "cannot read %s", req->object);
	status = workdir_run(work, argv, -1, -1, 0);
	if (status < 0)
		return smc_err_say(err, -status, "cannot run %s: %s", argv[0],
				   status == -ENOENT ? EXTRA_MISSING : strerror(-status));
	if (*workdir_why(status) && !work->caught)
		return smc_err_say(err, EIO, "%s did not finish on %s: %s", argv[0], req->object,
				   workdir_why(status));
	return status;
}

int chk_from(const struct chk_request *req)
{
	struct smc_err err = { 0 };
	struct workdir work;
	sigset_t ends;
	int fd AUTO_CLOSE = -1, ret;

	/* The tool may run until it is interrupted. */
	signals_interruptible(&ends);
	/* Open before signals are blocked: a file system may hang here. */
	fd = smc_open_regular(req->object, &err);
	if (fd < 0 || workdir_begin(&work, &err))
		return cli_error(&chk_tool, "%s", err.text);
	bundle_limit();
	ret = bundle_read(&work, fd, req->object, &err);
	if (!ret)
		ret = run_tool(&work, req, &err);
	workdir_end(&work);
	return ret < 0 ? cli_error(&chk_tool, "%s", err.text) : ret;
}
