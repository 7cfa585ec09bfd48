// SPDX-License-Identifier: MIT
/* Confine a process to one directory before it reads untrusted files. */
#include "sandbox/enclose.h"

#include <sys/stat.h>

#include "host/beneath.h"
#include "host/record.h"

static int cannot(struct smc_err *err, int code)
{
	return smc_err_set(err, code, "cannot give up the rights to other files");
}

int enclose(int directory, unsigned int access, struct smc_err *err)
{
	const struct landlock_path path = { ".", access };
	struct confine keep = { .paths = &path, .n_paths = 1 };
	bool is_root = !geteuid(), is_closed;
	unsigned int done = 0;
	struct stat st;
	int ret;

	if (fstat(directory, &st) || fchdir(directory))
		return cannot(err, errno);
	/* In a directory of root, keep root: the user nobody could not read its private files. */
	keep.keeps_root = is_root && !st.st_uid;
	is_closed = !is_root || !chroot(".");
	ret = confine(&keep, &done, err);
	/* In some containers root may not call chroot(2). */
	return ret || is_closed || done & CONFINE_LANDLOCK ? ret : cannot(err, EPERM);
}

static int open_own(const char *directory, uid_t also, const char *what, struct smc_err *err)
{
	int top = beneath_top(directory, also);

	if (top >= 0)
		return top;
	if (errno == EPERM)
		return smc_err_say(err, EPERM, "cannot %s %s: it belongs to another user", what,
				   directory);
	return smc_err_set(err, errno, "cannot %s %s", what, directory);
}

int enclose_not(struct smc_err *err)
{
	const char *root = record_root(), *directory = root ? root : record_dir();
	int top;

	if (!directory)
		return 0;
	top = open_own(directory, geteuid(), root ? "read" : "record into", err);
	if (top >= 0)
		close(top);
	return top < 0 ? top : 0;
}

int enclose_record(struct smc_err *err)
{
	int top, ret;

	if (!record_root())
		return enclose_not(err);
	top = open_own(record_root(), geteuid() ? geteuid() : CONFINE_NOBODY, "read", err);
	if (top < 0)
		return top;
	ret = enclose(top, LANDLOCK_READ, err);
	close(top);
	if (!ret && setenv("SMC_TOOLS_ROOT", ".", 1))
		ret = cannot(err, errno);
	return ret;
}
