// SPDX-License-Identifier: MIT
/* smc_setup: set up SMC on several hosts. */
#include <getopt.h>

#include "base/memory.h"
#include "cli/screen.h"
#include "sandbox/confine.h"
#include "smc_setup/setup.h"

static bool is_json;

static const struct cli_opt options[] = {
	{ 'j', "json", NULL, "write one JSON document", &is_json },
	CLI_COLOR_OPTION,
	{ 0 },
};

static const char *const commands[] = { "plan", NULL };

const struct cli_tool setup_tool = {
	.name = "smc_setup",
	.usage = "plan [OPTION]... HOST|FILE...",
	.summary = "Predict how each pair of hosts would connect, and what to do for more SMC.\n"
		   "HOST is read over ssh, FILE is a bundle of 'smc_chk bundle'.",
	.opts = options,
	.more = "Example: smc_setup plan db1 db2 web1.tar.gz\n"
		"\n"
		"Exit status: 0 all would use SMC, 1 error, 2 some would use TCP.\n",
	.error_status = SETUP_ERROR,
	.commands = commands,
};

static int plan(char *const *names)
{
	const struct confine nothing = { .n_paths = 0 };
	struct setup_host *hosts;
	struct smc_err err = { 0 };
	size_t count = 0;
	int ret;

	for (; names[count]; count++)
		if (!*names[count] || *names[count] == '-')
			return cli_usage_error(&setup_tool, "'%s' is neither a host nor a bundle",
					       names[count]);
	if (count < 2)
		return cli_usage_error(&setup_tool, "two hosts or bundles are needed");
	hosts = xcalloc(count, sizeof(*hosts));
	ret = hosts_read(hosts, names, count, &err);
	if (!ret)
		ret = confine(&nothing, NULL, &err); /* hosts are not trusted */
	if (!ret) {
		hosts_decode(hosts, count);
		ret = plan_print(hosts, count, is_json, &err);
	}
	hosts_free(hosts, count);
	return ret < 0 ? cli_error(&setup_tool, "%s", err.text) : ret;
}

int main(int argc, char **argv)
{
	int status, closed;

	cli_start();
	status = cli_parse(&setup_tool, argc, argv, NULL);
	if (status >= 0)
		return status;
	if (cli_command(&setup_tool, commands, argv[optind]) < 0)
		return SETUP_ERROR;
	status = plan(argv + optind + 1);
	closed = cli_close_stdout(&setup_tool);
	return closed ? closed : status;
}
