// SPDX-License-Identifier: MIT
/* smcss: lists SMC sockets and says for each what it really runs over, and why. */
#include "smcss.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <getopt.h>

#include "cli/cli.h"
#include "launch/learned_list.h"
#include "net/netns.h"
#include "process/signals.h"
#include "sandbox/enclose.h"
#include "sockets/tool.h"

enum {
	OPT_ALL_NETNS = CLI_LONG_ONLY,
	OPT_METRICS,
};

static const struct cli_opt options[] = {
	{ 'a', "all", NULL, "show listening and unconnected sockets, too" },
	{ 'l', "listening", NULL, "show listening sockets only",
	  .excludes = "--debug --all --smcr --smcd" },
	{ 'd', "debug", NULL, "add buffer sizes, cursors and flags" },
	{ 'D', "smcd", NULL, "show SMC-D connections only, with details", .excludes = "--smcr" },
	{ 'R', "smcr", NULL, "show SMC-R connections only, with details" },
	{ 'W', "wide", NULL, "make address columns wide enough for IPv6" },
	{ 'e', "explain", NULL, "say in words why a connection runs over TCP" },
	{ 'p', "processes", NULL, "show the processes that hold a socket" },
	{ 'n', "names", NULL, "show user names instead of numbers" },
	{ 's', "summary", NULL, "count by mode, process, peer and reason",
	  .excludes = "--debug --output --no-header --explain --wide --names" },
	{ 'o', "output", "COLUMNS", "show these columns, separated by commas",
	  .excludes = "--debug --names" },
	{ 'H', "no-header", NULL, "leave out the header line" },
	{ 'j', "json", NULL, "write one JSON document",
	  .excludes = "--explain --no-header --wide --names" },
	{ 'N', "netns", "NETNS", "look into a network namespace: name, PID or path" },
	{ OPT_ALL_NETNS, "all-netns", NULL, "look into all network namespaces; -s: by container",
	  .excludes = "--netns" },
	{ OPT_METRICS, "metrics", NULL, "write counts in Prometheus' text form",
	  .excludes = "--listening --debug --smcd --smcr --explain --no-header --output --summary "
		      "--json --watch --wide --names" },
	{ 'w', "watch", "SECONDS", "repeat until interrupted" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

static uint64_t given;

static const struct cli_tool tool = {
	.name = "smcss",
	.usage = "[OPTIONS] [FILTER]",
	.summary = "Lists SMC sockets: what each connection runs over, and if it is TCP, why.\n\n"
		   "Example: smcss -e dport = 6379",
	.opts = options,
	.error_status = 1,
	.given = &given,
};

/* Return: -1 to go on, or the exit status. */
static int set_option(struct smcss_opts *opts, int letter)
{
	switch (letter) {
	case 'a': opts->is_all = true; break;
	case 'l': opts->is_listening = true; break;
	case 'd': opts->is_debug = true; break;
	case 'D': opts->only_smcd = true; break;
	case 'R': opts->only_smcr = true; break;
	case 'W': opts->is_wide = true; break;
	case 'e': opts->is_explained = true; break;
	case 'p': opts->has_processes = true; break;
	case 'n': opts->has_names = true; break;
	case 's': opts->is_summary = true; break;
	case 'H': opts->no_header = true; break;
	case 'j': opts->is_json = true; break;
	case OPT_ALL_NETNS: opts->is_all_netns = true; break;
	case OPT_METRICS: opts->is_metrics = opts->is_summary = true; break;
	case 'o': opts->columns = optarg; break;
	case 'N': opts->netns = optarg; break;
	case 'w': return cli_seconds(&tool, &opts->watch_seconds, optarg) ? tool.error_status : -1;
	case 'v': return cli_version(&tool);
	case 'h': return sockets_help(&tool, smcss_columns);
	default: return tool.error_status;
	}
	return -1;
}

static int parse(struct smcss_opts *opts, int argc, char **argv)
{
	struct out_view view;
	struct smc_err err;
	int letter, status;

	while ((letter = cli_getopt(&tool, argc, argv)) != -1) {
		status = set_option(opts, letter);
		if (status >= 0)
			return status;
	}
	if (cli_check(&tool, NULL))
		return tool.error_status;
	if (filter_parse(&opts->filter, argc - optind, argv + optind, &err))
		return cli_usage_error(&tool, "%s", err.text);
	if (opts->filter.has_netns && !opts->is_all_netns)
		return cli_usage_error(&tool, "the filter 'netns' is for --all-netns");
	opts->has_processes |= opts->columns && sockets_need_processes(opts->columns);
	return smcss_view(&view, opts, &err) ? cli_usage_error(&tool, "%s", err.text) : -1;
}

/* Nobody is to look for SMC connections that ld_pre_smc.so makes TCP connections. */
static void show_learned(const struct smcss_opts *opts)
{
	int count;

	if (opts->is_json || opts->is_metrics || opts->no_header || opts->is_all_netns ||
	    (!opts->is_summary && !isatty(STDOUT_FILENO)))
		return;
	count = learned_count();
	if (count)
		printf("%d destination%s by choice: smc_run --learned\n", count,
		       count == 1 ? " uses TCP" : "s use TCP");
}

/* @spaces: of --all-netns. What may not be seen there is said the first time. */
static int show(const struct smcss_opts *opts, struct netns_list *spaces, bool is_first,
		struct smc_err *err)
{
	char text[200];
	int ret = smcss_list(opts, opts->is_all_netns ? spaces : NULL, err);

	if ((!ret || ret == -EIO) && is_first) {
		netns_list_hidden(spaces, text, sizeof(text));
		cli_warn(&tool, !text[0], "%s", text);
	}
	if (!ret)
		show_learned(opts);
	return ret;
}

/* Once, or again and again. */
static int repeat(const struct smcss_opts *opts, struct smc_err *err)
{
	bool is_repeated = opts->watch_seconds > 0, is_first = true;
	struct netns_list spaces = { .count = 0 };
	int ret = 0;

	do {
		if (!is_first)
			cli_wait(opts->watch_seconds);
		if (is_repeated)
			ret = sockets_separate(opts->is_json, is_first, err);
		if (!ret)
			ret = show(opts, &spaces, is_first, err);
		is_first = false;
	} while (!ret && is_repeated);
	netns_list_free(&spaces);
	return ret;
}

int main(int argc, char **argv)
{
	struct smcss_opts opts = { 0 };
	struct smc_err err = { 0 };
	sigset_t ends;
	int status;

	cli_start();
	status = parse(&opts, argc, argv);
	if (status >= 0)
		return status;
	if (enclose_record(&err) || smc_netns_enter(opts.netns, &err))
		return cli_error(&tool, "%s", err.text);
	if (opts.watch_seconds > 0)
		signals_interruptible(&ends);
	if (repeat(&opts, &err))
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool);
}
