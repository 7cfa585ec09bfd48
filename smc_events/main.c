// SPDX-License-Identifier: MIT
/* smc_events: what happens to SMC connections and links, as it happens. */
#include "events.h"

#include <signal.h>
#include <getopt.h>

#include "cli/cli.h"
#include "net/netns.h"
#include "process/signals.h"
#include "sandbox/enclose.h"

enum { OPT_COUNT = CLI_LONG_ONLY };

static const struct cli_opt options[] = {
	{ 'e', "explain", NULL, "say why a connection falls back, and what to type" },
	{ 'D', "smcd", NULL, "show SMC-D connections only", .excludes = "--smcr" },
	{ 'R', "smcr", NULL, "show SMC-R connections and links only" },
	{ OPT_COUNT, "count", "NUMBER", "end after so many events" },
	{ 'j', "json", NULL, "write one line of JSON an event" },
	{ 'N', "netns", "NETNS", "follow a network namespace: name, PID or path" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

static uint64_t given;

static const struct cli_tool tool = {
	.name = "smc_events",
	.usage = "[OPTIONS] [FILTER]",
	.summary = "Shows what happens to SMC connections and links, as it happens. Needs root.\n\n"
		   "Example: smc_events -e mode tcp",
	.opts = options,
	.more = FILTER_HELP FILTER_HELP_TESTS,
	.error_status = 1,
	.given = &given,
};

/* Return: -1 to go on, or the exit status. */
static int check(struct events_opts *opts, int argc, char **argv)
{
	struct smc_err err;

	if (cli_check(&tool, NULL))
		return tool.error_status;
	if (filter_parse(&opts->filter, argc - optind, argv + optind, &err))
		return cli_usage_error(&tool, "%s", err.text);
	if (opts->filter.has_state)
		return cli_usage_error(&tool, "events have no states to filter by");
	if (opts->filter.has_netns)
		return cli_usage_error(&tool, "the filter 'netns' is for smcss --all-netns");
	return -1;
}

static int parse(struct events_opts *opts, int argc, char **argv)
{
	int letter;

	while ((letter = cli_getopt(&tool, argc, argv)) != -1) {
		switch (letter) {
		case 'e': opts->is_explained = true; break;
		case 'D': opts->only_smcd = true; break;
		case 'R': opts->only_smcr = true; break;
		case 'j': opts->is_json = true; break;
		case 'N': opts->netns = optarg; break;
		case OPT_COUNT:
			if (cli_number(&tool, letter, optarg, 1, UINT32_MAX, &opts->max_events))
				return tool.error_status;
			break;
		case 'v': return cli_version(&tool);
		case 'h': return cli_help(&tool);
		default: return tool.error_status;
		}
	}
	return check(opts, argc, argv);
}

int main(int argc, char **argv)
{
	struct events_opts opts = { 0 };
	struct smc_err err = { 0 };
	sigset_t ends;
	int status;

	cli_start();
	status = parse(&opts, argc, argv);
	if (status >= 0)
		return status;
	if (enclose_record(&err) || smc_netns_enter(opts.netns, &err))
		return cli_error(&tool, "%s", err.text);
	signals_interruptible(&ends);
	if (events_run(&opts, &err))
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool);
}
