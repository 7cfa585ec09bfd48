// SPDX-License-Identifier: MIT
/* smc_ab: compare a command over TCP and over SMC. */
#include <getopt.h>
#include <stdlib.h>

#include "base/memory.h"
#include "smc_ab/ab.h"

/* As smc_run, and others that start programs. */
#define EXIT_SELF 125

const int memory_status = EXIT_SELF;

enum { OPT_METRIC = LAUNCH_LAST, OPT_LOWER, OPT_SERVER, OPT_OUTPUT };

static const struct cli_opt options[] = {
	{ 'n', "pairs", "NUMBER", "runs over each; default 10, a verdict takes 8" },
	{ OPT_METRIC, "metric", "REGEX",
	  "compare the number that this finds in the output,\n"
	  "not the time; more is better" },
	{ OPT_LOWER, "lower", NULL, "less is better", .needs = "--metric" },
	{ OPT_SERVER, "server", "CMD",
	  "start this server for each run, over TCP or SMC\nlike the run" },
	{ OPT_OUTPUT, "show-output", NULL, "show the output, on standard error" },
	{ 'j', "json", NULL, "write one JSON document" },
	LAUNCH_OPTIONS,
	LAUNCH_COMMAND_OPTIONS,
	{ 'h', "help", NULL, "print this help" },
	{ 'v', "version", NULL, "print the version" },
	{ 0 },
};

static uint64_t given;

static const struct cli_tool tool = {
	.name = "smc_ab",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]...",
	.summary = "Run a command in turns over TCP and over SMC, and print how both compare.",
	.opts = options,
	.more = "Example: smc_ab --server 'iperf3 -s -1' iperf3 -c 127.0.0.1 -n 1G\n"
		"\n"
		"Exit status: 0 measured, 1 a run failed, 2 SMC was not used, 125 smc_ab failed.\n",
	.error_status = EXIT_SELF,
	.stop_at_first = true,
	.given = &given,
};

static int take_pairs(struct ab_options *ab)
{
	uint64_t pairs;
	int status = cli_number(&tool, 'n', optarg, 1, AB_PAIRS, &pairs);

	ab->pairs = (int)pairs;
	return status;
}

static int take_option(struct ab_options *ab, int opt)
{
	switch (opt) {
	case 'n': return take_pairs(ab);
	case OPT_METRIC: ab->metric = optarg; return 0;
	case OPT_LOWER: ab->is_lower_better = true; return 0;
	case OPT_SERVER: ab->server = optarg; return 0;
	case OPT_OUTPUT: ab->is_shown = true; return 0;
	case 'j': ab->is_json = true; return 0;
	default: return launch_option(&ab->launch, opt);
	}
}

int main(int argc, char **argv)
{
	/* SMC is compared, not what smc_run would choose. */
	struct ab_options ab = { .launch = { .tool = &tool, .settings[VAR_LEARN] = "0" },
				 .pairs = 10 };
	int opt, status;

	cli_start();
	while ((opt = cli_getopt(&tool, argc, argv)) != -1) {
		if (opt == 'h')
			return cli_help(&tool);
		if (opt == 'v')
			return cli_version(&tool);
		if (take_option(&ab, opt))
			return EXIT_SELF;
	}
	status = cli_check(&tool, NULL);
	if (!status && !argv[optind])
		status = cli_usage_error(&tool, "no command given");
	return status ? status : ab_run(&ab, argv + optind);
}
