// SPDX-License-Identifier: MIT
/*
 * smc_supervise: smc_run --seccomp. smc_run executes it with its own command line, so it reads the
 * same options, and reports errors by the name of smc_run.
 */
#include <getopt.h>

#include "base/memory.h"
#include "launch/supervise.h"

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
	.exits = "that of COMMAND, 125 if smc_run fails",
	.error_status = LAUNCH_FAILED,
	.stop_at_first = true,
};

static struct launch launch = { .tool = &tool, .is_after_bpf = true, .supervise = supervise };

static int take_option(int opt)
{
	return launch_option(&launch, opt);
}

int main(int argc, char **argv)
{
	int status = cli_parse(&tool, argc, argv, take_option);

	return status >= 0 ? status : launch_run(&launch, argv + optind);
}
