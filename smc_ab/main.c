// SPDX-License-Identifier: MIT
/* smc_ab: compare a command over TCP and over SMC. */
#include <getopt.h>
#include <stdlib.h>

#include "base/memory.h"
#include "smc_ab/ab.h"

/* Same as smc_run, and other programs that start programs. */
#define EXIT_SELF 125

const int memory_status = EXIT_SELF;

enum { OPT_METRIC = LAUNCH_LAST, OPT_LOWER, OPT_SERVER, OPT_OUTPUT };

static const struct cli_tool tool;

/* Learning is off: all runs over SMC must use SMC. */
static struct ab_options asked = { .launch = { .tool = &tool, .settings[VAR_LEARN] = "0" },
				   .pairs = 10 };

static const struct cli_opt options[] = {
	{ 'n', "pairs", "NUMBER", "run each this often (default 10; a verdict needs 8)" },
	{ OPT_METRIC, "metric", "REGEX",
	  "compare the number that REGEX finds in the output,\n"
	  "not the time; higher is better",
	  .text = &asked.metric },
	{ OPT_LOWER, "lower", NULL, "treat lower numbers as better", &asked.is_lower_better,
	  .needs = "--metric" },
	{ OPT_SERVER, "server", "CMD",
	  "start this server for each run, over TCP or SMC\nlike the run", .text = &asked.server },
	{ OPT_OUTPUT, "show-output", NULL, "show the output, on standard error", &asked.is_shown },
	{ 'j', "json", NULL, "write one JSON document", &asked.is_json },
	LAUNCH_OPTIONS,
	LAUNCH_COMMAND_OPTIONS,
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_ab",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]...",
	.summary = "Run a command alternately over TCP and over SMC, and compare the results.",
	.opts = options,
	.more = "Example: smc_ab --server 'iperf3 -s -1' iperf3 -c 127.0.0.1 -n 1G\n"
		"\n"
		"Exit status: 0 measured, 1 a run failed, 2 SMC was not used, 125 smc_ab failed.\n",
	.error_status = EXIT_SELF,
	.stop_at_first = true,
};

static int take_option(int opt)
{
	uint64_t pairs = 10;
	int status;

	if (opt != 'n')
		return launch_option(&asked.launch, opt);
	status = cli_number(&tool, 'n', optarg, 1, AB_PAIRS, &pairs);
	asked.pairs = (int)pairs;
	return status;
}

int main(int argc, char **argv)
{
	int status;

	cli_start();
	status = cli_parse(&tool, argc, argv, take_option);
	if (status >= 0)
		return status;
	if (!argv[optind])
		return cli_usage_error(&tool, "no command given");
	return ab_run(&asked, argv + optind);
}
