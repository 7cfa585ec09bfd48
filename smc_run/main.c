// SPDX-License-Identifier: MIT
/* smc_run: run a command with its TCP sockets turned into SMC sockets. */
#include <getopt.h>

#include "base/memory.h"
#include "launch/launch.h"

const int memory_status = LAUNCH_FAILED;

static const struct cli_opt options[] = {
	LAUNCH_OPTIONS,
	LAUNCH_COMMAND_OPTIONS,
	LAUNCH_LEARN_OPTION,
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_run",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]...",
	.summary = "Run a command with its TCP sockets turned into SMC sockets.",
	.opts = options,
	.examples = "  smc_run curl http://10.0.0.1/\n  smc_run -r 1M -t 1M redis-server\n",
	.exits = "COMMAND's; 125 smc_run failed, 126 not executable, 127 not found",
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
	return status >= 0 ? status : launch_run(&launch, argv + optind);
}
