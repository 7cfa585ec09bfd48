// SPDX-License-Identifier: MIT
/* smc_run: run a command with its TCP sockets turned into SMC sockets. */
#include <getopt.h>

#include "base/memory.h"
#include "launch/launch.h"
#include "smc_run/smc_run.h"

const int memory_status = LAUNCH_FAILED;

enum { OPT_LEARNED = LAUNCH_LAST };

static bool is_learned, is_json;

static const struct cli_opt options[] = {
	LAUNCH_OPTIONS,
	LAUNCH_LEARN_OPTION,
	LAUNCH_COMMAND_OPTIONS,
	{ OPT_LEARNED, "learned", NULL, "list what was learned about destinations", &is_learned },
	{ 'j', "json", NULL, "write one JSON document", &is_json, .needs = "--learned" },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_run",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]...\n"
		 "--learned [-j]",
	.summary = "Run a command with its TCP sockets turned into SMC sockets.",
	.opts = options,
	.more = "Example: smc_run -r 1M -t 1M redis-server --port 7000\n"
		"\n"
		"Exit status: that of COMMAND; 125 if smc_run fails, 126 if COMMAND cannot be\n"
		"executed, 127 if it is not found.\n",
	.error_status = LAUNCH_FAILED,
	.stop_at_first = true,
};

static struct launch launch = { .tool = &tool };

static int take_option(int opt)
{
	return launch_option(&launch, opt);
}

int main(int argc, char **argv)
{
	int status = cli_parse(&tool, argc, argv, take_option);

	launch.command_line = argv;
	if (status >= 0)
		return status;
	if (is_learned && cli_no_operand(&tool, argv[optind]))
		return LAUNCH_FAILED;
	return is_learned ? show_learned(&tool, is_json) : launch_run(&launch, argv + optind);
}
