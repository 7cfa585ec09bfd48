// SPDX-License-Identifier: MIT
/* bundle: what support needs to know of this host, in one private file. */
#include "smc_chk/bundle/bundle.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "host/record.h"
#include "out/table.h"
#include "smc_chk/bundle/anonymous.h"
#include "smc_chk/bundle/collect.h"
#include "smc_chk/bundle/pack.h"
#include "version.h"

static json_t *new_index(const struct chk_request *req)
{
	time_t now = time(NULL);
	struct utsname name = { 0 };
	char when[32] = "";
	struct tm tm;

	uname(&name);
	if (gmtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o*, s:[]}", "schema", BUNDLE_SCHEMA,
			 "created", when, "version", SMC_TOOLS_VERSION, "host", name.nodename,
			 "kernel", name.release, "machine", name.machine, "byte_order",
			 __BYTE_ORDER == __BIG_ENDIAN ? "big" : "little", "netns",
			 req->netns ? out_json_str(req->netns) : NULL, "commands");
}

/**
 * struct bundle_file - where the bundle goes
 * @temp: its name until it is complete, "" for standard output
 */
struct bundle_file {
	const char *file;
	char temp[PATH_MAX];
	int fd;
};

static int open_target(struct bundle_file *target, const char *file, struct smc_err *err)
{
	struct stat st;

	*target = (struct bundle_file){ .file = file, .fd = STDOUT_FILENO };
	if (!strcmp(file, "-"))
		return isatty(STDOUT_FILENO) ?
			       smc_err_say(err, EINVAL, "cannot write a bundle to a terminal") :
			       0;
	if (!lstat(file, &st))
		return smc_err_set(err, EEXIST, "cannot write %s", file);
	if (snprintf(target->temp, PATH_MAX, "%s.XXXXXX", file) < PATH_MAX)
		target->fd = mkostemp(target->temp, O_CLOEXEC);
	else
		errno = ENAMETOOLONG;
	if (target->fd > STDOUT_FILENO)
		return 0;
	target->temp[0] = '\0';
	return smc_err_set(err, errno, "cannot write %s", file);
}

/* The complete bundle gets its name, unless somebody else took it meanwhile. */
static int place(const struct bundle_file *target, struct smc_err *err)
{
	if (fsync(target->fd))
		return smc_err_set(err, errno, "cannot write %s", target->file);
	/* musl has no renameat2(). */
	if (!syscall(SYS_renameat2, AT_FDCWD, target->temp, AT_FDCWD, target->file,
		     RENAME_NOREPLACE))
		return 0;
	if (errno == EINVAL && !link(target->temp, target->file)) {
		unlink(target->temp);
		return 0;
	}
	return smc_err_set(err, errno, "cannot write %s", target->file);
}

static int finish(struct collection *b, const struct bundle_file *target)
{
	struct pack_size size = { 0 };
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), "%.*s%s", PATH_MAX - 32, b->work.path,
		 b->req->is_anonymous ? "/" ANONYMOUS : "");
	ret = bundle_pack(&b->work, target->fd, path, &size, b->err);
	if (!ret && *target->temp)
		ret = place(target, b->err);
	if (ret || !*target->temp)
		return ret;
	printf("%s: %zu files, %llu KB unpacked; smc_chk from reads them\n", target->file,
	       size.files, (unsigned long long)(size.bytes + 1023) / 1024);
	return 0;
}

/* Nobody knows names of the host other than uname(2)'s. */
static int make_anonymous(struct collection *b, struct pseudonyms *all)
{
	struct utsname name;

	if (!b->req->is_anonymous)
		return 0;
	if (!uname(&name))
		snprintf(all->host, sizeof(all->host), "%s", name.nodename);
	return anonymous_make(b, all);
}

int chk_bundle(const struct chk_request *req)
{
	struct pseudonyms all = { 0 };
	struct smc_err err = { 0 };
	struct collection b = { .req = req, .err = &err };
	struct bundle_file target;
	bool is_failed;

	if (record_root())
		return cli_error(&chk_tool, "this is a recorded host: it has a bundle already");
	if ((req->is_anonymous && anonymous_key(&all, req->key, &err)) ||
	    workdir_begin(&b.work, &err))
		return cli_error(&chk_tool, "%s", err.text);
	b.index = new_index(req);
	is_failed = open_target(&target, req->object, &err) || collect(&b) ||
		    make_anonymous(&b, &all) || finish(&b, &target);
	if (*target.temp) {
		close(target.fd);
		if (is_failed)
			unlink(target.temp);
	}
	json_decref(b.index);
	workdir_end(&b.work);
	return is_failed ? cli_error(&chk_tool, "%s", err.text) : CHK_OK;
}
