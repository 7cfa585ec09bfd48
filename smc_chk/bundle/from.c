// SPDX-License-Identifier: MIT
/* --from: what a bundle has recorded, through the same commands. */
#include "smc_chk/bundle/bundle.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smc_chk/bundle/pack.h"

/* The tools that can answer from a record. */
static const char *const tools[] = {
	"smcss", "smcd", "smcr", "smc_pnet", "smc_rnics", "smc_chk",
};

static int check_tool(const struct chk_request *req)
{
	const char *name = req->operands[0];

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!name || !strcmp(name, tools[i]))
			return 0;
	return cli_usage_error(&chk_tool, "'%s' cannot read a bundle: the tools are smcss, smcd, "
			       "smcr, smc_pnet, smc_rnics, smc_chk", name);
}

/* The netlink answers are in the byte order of the machine that gave them. */
static int check_index(const struct workdir *work, const char *file, struct smc_err *err)
{
	char path[PATH_MAX];
	const char *schema = "", *order = "", *machine = "";
	json_t *json;
	int ret = 0;

	snprintf(path, sizeof(path), "%.*s/" BUNDLE_DIRECTORY "/index.json", PATH_MAX - 64,
		 work->path);
	json = json_load_file(path, 0, NULL);
	json_unpack(json, "{s?s, s?s, s?s}", "schema", &schema, "byte_order", &order, "machine",
		    &machine);
	if (strcmp(schema, BUNDLE_SCHEMA))
		ret = smc_err_say(err, EINVAL,
				  "%s is not a bundle of this version: no " BUNDLE_SCHEMA, file);
	else if (strcmp(order, BUNDLE_ORDER))
		ret = smc_err_say(err, EOPNOTSUPP,
				  "%s is from a %.8s-endian machine, and only such a machine can "
				  "read it; see text/ and json/ in it", file,
				  !strcmp(order, "big") ? "big" : "little");
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
	return status < 0 ? smc_err_set(err, -status, "cannot run %s", argv[0]) : status;
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
	ret = bundle_unpack(&work, req->from, &err);
	if (!ret)
		ret = check_index(&work, req->from, &err);
	if (!ret)
		ret = run(&work, req, &err);
	workdir_end(&work);
	return ret < 0 ? cli_error(&chk_tool, "%s", err.text) : ret;
}
