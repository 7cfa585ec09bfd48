// SPDX-License-Identifier: MIT
/* from: what a bundle has recorded, through the same commands. */
#include "smc_chk/bundle/bundle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read.h"
#include "process/signals.h"
#include "smc_chk/bundle/open.h"
#include "smc_chk/bundle/pack.h"

/* Return: what is asked of the recorded host, a command line of smc_chk or of another tool. */
static char **make_argv(const struct chk_request *req)
{
	static const char *const tools[] = { "smcss",	  "smcd",    "smcr",	"smc_pnet",
					     "smc_rnics", "smc_chk", "smc_conf" };
	char **argv = req->operands;

	for (size_t i = 0; argv[1] && i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!strcmp(argv[1], tools[i]))
			return argv + 1;
	argv[0] = (char *)"smc_chk";
	return argv;
}

/* Return: exit status of the tool, -errno. */
static int run(struct workdir *work, const struct chk_request *req, struct smc_err *err)
{
	char root[PATH_MAX], **argv = make_argv(req);
	int status;

	snprintf(root, sizeof(root), "%.*s/" OPEN_DIRECTORY "/record", PATH_MAX - 64, work->path);
	if (setenv("SMC_TOOLS_ROOT", root, 1))
		return smc_err_set(err, errno, "cannot read %s", req->object);
	status = workdir_run(work, argv, -1, -1, 0);
	if (status < 0)
		return smc_err_set(err, -status, "cannot run %s", argv[0]);
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
	int fd, ret;

	/* The tool may be one that runs until it is interrupted. */
	signals_interruptible(&ends);
	/* Before signals wait: a file system may let it take for ever. */
	fd = smc_open_regular(req->object, &err);
	if (fd < 0 || workdir_begin(&work, &err))
		return cli_error(&chk_tool, "%s", err.text);
	bundle_limit();
	ret = bundle_open(&work, fd, req->object, &err);
	close(fd);
	if (!ret)
		ret = run(&work, req, &err);
	workdir_end(&work);
	return ret < 0 ? cli_error(&chk_tool, "%s", err.text) : ret;
}
