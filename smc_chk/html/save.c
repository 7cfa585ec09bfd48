// SPDX-License-Identifier: MIT
#include "smc_chk/html/html.h"

#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "base/read.h"
#include "base/write.h"
#include "out/units.h"

/* Maximum size of a page: ten times that of 10000 hosts. */
#define PAGE_MAX ((size_t)256 << 20)

/** struct target - @dir: descriptor of the directory; @name: in it; @mode: of the file */
struct target {
	int dir;
	const char *name;
	mode_t mode;
};

/* Check the target before the page is made. */
static int open_target(struct target *target, const char *file, struct smc_err *err)
{
	const char *slash = strrchr(file, '/');
	char *copy AUTO_FREE = xstrdup(file);
	struct stat st;

	*target = (struct target){ open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC),
				   slash ? slash + 1 : file, 0600 };
	if (target->dir < 0 || faccessat(target->dir, ".", W_OK | X_OK, AT_EACCESS))
		return smc_err_set(err, errno, "cannot write %s", file);
	if (*target->name && fstatat(target->dir, target->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : smc_err_set(err, errno, "cannot write %s", file);
	/* Only replace regular files: a link could lead to a file that somebody else has chosen. */
	if (!*target->name || !S_ISREG(st.st_mode))
		return smc_err_say(err, EINVAL, "cannot write %s: not a regular file", file);
	target->mode = st.st_mode & 0777;
	return 0;
}

static void __attribute__((noreturn))
make_page(const struct chk_request *req, int (*fn)(const struct chk_request *req), int page,
	  pid_t parent)
{
	int status, closed;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || dup2(page, STDOUT_FILENO) < 0)
		_exit(CHK_ERROR);
	close(page);
	status = fn(req);
	closed = cli_close_stdout(&chk_tool);
	exit(closed ? closed : status);
}

/*
 * Write the page into the file; the process that wrote @page has ended. Return: 1 if written; 0
 * without a whole page, for which that process had a message; -errno with @err.
 */
static int put(const struct target *target, int page, const char *file, struct smc_err *err)
{
	char *text AUTO_FREE = NULL, size[OUT_UNITS];
	const size_t end = strlen(HTML_END);
	size_t len = 0;
	int ret;

	lseek(page, 0, SEEK_SET);
	text = smc_read_fd(page, PAGE_MAX, &len);
	if (!text)
		return smc_err_set(err, errno, "cannot read the page for %s", file);
	if (len <= end || memcmp(text + len - end, HTML_END, end))
		return 0;
	ret = smc_replace_file(target->dir, target->name, text, len, target->mode);
	if (ret)
		return smc_err_set(err, -ret, "cannot write %s", file);
	printf("%s: a page of %s for any browser\n", file, out_size(size, len));
	return 1;
}

/* @page is closed. Return: chk_status; -errno with @err. */
static int finish(const struct target *target, pid_t pid, int page, const char *file,
		  struct smc_err *err)
{
	int status, ret;

	while ((ret = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	if (ret < 0 || !WIFEXITED(status)) {
		ret = ret < 0 ? smc_err_set(err, errno, "cannot write %s", file) :
				smc_err_say(err, EINTR, "cannot write %s: it was stopped", file);
		close(page);
		return ret;
	}
	ret = put(target, page, file, err);
	if (ret < 0)
		return ret;
	return ret || WEXITSTATUS(status) ? WEXITSTATUS(status) : CHK_ERROR;
}

int html_save(const struct chk_request *req, int (*fn)(const struct chk_request *req))
{
	pid_t parent = getpid(), pid;
	struct smc_err err = { 0 };
	struct target target;
	int page, ret;

	if (!strcmp(req->html, "-"))
		return fn(req);
	ret = open_target(&target, req->html, &err);
	page = ret ? -1 : memfd_create("page", MFD_CLOEXEC);
	pid = page < 0 ? -1 : fork();
	if (!pid) {
		close(target.dir);
		make_page(req, fn, page, parent);
	}
	if (pid > 0)
		ret = finish(&target, pid, page, req->html, &err);
	else if (!ret)
		ret = smc_err_set(&err, errno, "cannot write %s", req->html);
	if (target.dir >= 0)
		close(target.dir);
	return ret < 0 ? cli_error(&chk_tool, "%s", err.text) : ret;
}
