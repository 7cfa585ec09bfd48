// SPDX-License-Identifier: MIT
/* --from: what a bundle has recorded, through the same commands. */
#include "smc_chk/bundle/bundle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read.h"
#include "smc_chk/bundle/open.h"
#include "smc_chk/bundle/pack.h"
#include "sys/signals.h"

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
	return cli_usage_error(&chk_tool,
			       "'%s' cannot read a bundle: the tools are smcss, smcd, "
			       "smcr, smc_pnet, smc_rnics, smc_chk, smc_conf",
			       name);
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
	if (req->is_brief)
		argv[n++] = "--problems";
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

	snprintf(root, sizeof(root), "%.*s/" OPEN_DIRECTORY "/record", PATH_MAX - 64, work->path);
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

int chk_from(const struct chk_request *req)
{
	struct smc_err err = { 0 };
	struct workdir work;
	sigset_t ends;
	int fd, ret;

	/* The tool may be one that runs until it is interrupted. */
	signals_interruptible(&ends);
	if (check_tool(req))
		return CHK_ERROR;
	/* Before signals wait: a file system may let it take for ever. */
	fd = smc_open_regular(req->from, &err);
	if (fd < 0 || workdir_begin(&work, &err))
		return cli_error(&chk_tool, "%s", err.text);
	bundle_limit();
	ret = bundle_open(&work, fd, req->from, &err);
	close(fd);
	if (!ret)
		ret = run(&work, req, &err);
	workdir_end(&work);
	return ret < 0 ? cli_error(&chk_tool, "%s", err.text) : ret;
}
