// SPDX-License-Identifier: MIT
/* smc_top: how fast SMC connections are, and what slows them down. */
#include "top.h"

#include <signal.h>
#include <getopt.h>

#include "cli/cli.h"
#include "net/netns.h"
#include "process/signals.h"
#include "sandbox/enclose.h"
#include "sockets/tool.h"
#include "terminal.h"

enum { OPT_ONCE = CLI_LONG_ONLY, OPT_SORT };

static const struct cli_opt options[] = {
	{ OPT_ONCE, "once", NULL, "measure once, print a table" },
	{ OPT_SORT, "sort", "KEY", "first by rate, unread, unsent or process" },
	{ 'w', "watch", "SECONDS", "measure every so many seconds" },
	{ 'D', "smcd", NULL, "show SMC-D connections only", .excludes = "--smcr" },
	{ 'R', "smcr", NULL, "show SMC-R connections only" },
	{ 'o', "output", "COLUMNS", "show these columns, separated by commas" },
	{ 'H', "no-header", NULL, "leave out the header lines" },
	{ 'j', "json", NULL, "write one JSON document; with -w, one a line",
	  .excludes = "--no-header" },
	{ 'N', "netns", "NETNS", "look into a network namespace: name, PID or path" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

static uint64_t given;

static const struct cli_tool tool = {
	.name = "smc_top",
	.usage = "[OPTIONS] [FILTER]",
	.summary = "Shows how fast SMC connections are and what slows them down: live on a\n"
		   "terminal, else as a table.\n\n"
		   "Example: smc_top --once --sort unread dport = 6379",
	.opts = options,
	.error_status = 1,
	.given = &given,
};

/* A filter may ask for nothing but sockets that listen. */
static int check_filter(const struct filter *filter)
{
	if (filter->has_netns)
		return cli_usage_error(&tool, "the filter 'netns' is for smcss --all-netns");
	for (uint8_t state = 1; state < 32; state++)
		if (state != SMC_ABI_LISTEN && filter_can_match(filter, state))
			return 0;
	return cli_usage_error(&tool, "connections are shown, not sockets that listen");
}

/* Return: -1 to go on, or the exit status. */
static int check(struct top_opts *opts, int argc, char **argv)
{
	struct out_view view;
	struct smc_err err;

	if (cli_check(&tool, NULL))
		return tool.error_status;
	if (filter_parse(&opts->filter, argc - optind, argv + optind, &err) ||
	    top_view(&view, opts, &err))
		return cli_usage_error(&tool, "%s", err.text);
	return check_filter(&opts->filter) ? tool.error_status : -1;
}

static int parse(struct top_opts *opts, int argc, char **argv)
{
	int letter, sort;

	while ((letter = cli_getopt(&tool, argc, argv)) != -1) {
		switch (letter) {
		case OPT_ONCE: opts->is_once = true; break;
		case 'D': opts->only_smcd = true; break;
		case 'R': opts->only_smcr = true; break;
		case 'H': opts->no_header = true; break;
		case 'j': opts->is_json = true; break;
		case 'o': opts->columns = optarg; break;
		case 'N': opts->netns = optarg; break;
		case 'w':
			if (cli_seconds(&tool, &opts->watch_seconds, optarg))
				return tool.error_status;
			break;
		case OPT_SORT:
			sort = cli_word(&tool, OPT_SORT, top_sort_names, optarg);
			if (sort < 0)
				return tool.error_status;
			opts->sort = (enum top_key)sort;
			break;
		case 'v': return cli_version(&tool);
		case 'h': return sockets_help(&tool, top_columns);
		default: return tool.error_status;
		}
	}
	return check(opts, argc, argv);
}

/* Tables or JSON, once or again and again: from the second sample on. */
static int repeat(const struct top_opts *opts, struct rates *rates, struct smc_err *err)
{
	bool is_repeated = opts->watch_seconds > 0 && !opts->is_once, is_first = true;
	int ret = rates_take(rates, opts, err);

	while (!ret) {
		cli_wait(opts->watch_seconds > 0 ? opts->watch_seconds : TOP_SECONDS);
		if (is_repeated)
			ret = sockets_separate(opts->is_json, is_first, err);
		if (!ret)
			ret = top_print(opts, rates, err);
		if (!is_repeated)
			break;
		is_first = false;
	}
	return ret;
}

/* Return: the exit status, unless a signal ends us now that the terminal is itself. */
static int end_by(int signal)
{
	if (!signal)
		return cli_close_stdout(&tool);
	raise(signal);
	/* nohup(1) has SIGHUP ignored. */
	return 128 + signal;
}

int main(int argc, char **argv)
{
	struct top_opts opts = { 0 };
	struct smc_err err = { 0 };
	int status, signal = 0, ret;
	struct rates *rates;
	sigset_t ends;

	cli_start();
	status = parse(&opts, argc, argv);
	if (status >= 0)
		return status;
	if (enclose_record(&err) || smc_netns_enter(opts.netns, &err))
		return cli_error(&tool, "%s", err.text);
	signals_interruptible(&ends);
	rates = rates_new();
	if (!opts.is_once && !opts.is_json && cli_terminal_usable())
		ret = top_run(&opts, rates, &signal, &err);
	else
		ret = repeat(&opts, rates, &err);
	rates_free(rates);
	return ret ? cli_error(&tool, "%s", err.text) : end_by(signal);
}
