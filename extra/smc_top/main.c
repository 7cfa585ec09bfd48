// SPDX-License-Identifier: MIT
/* smc_top: show the rates of SMC connections, and their bottlenecks. */
#include "smc_top/top.h"

#include <signal.h>
#include <getopt.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "net/netns.h"
#include "process/signals.h"
#include "sandbox/enclose.h"
#include "smc_top/terminal.h"

enum { OPT_ONCE = CLI_LONG_ONLY, OPT_SORT };

static struct top_opts asked;

static const struct cli_opt options[] = {
	{ OPT_ONCE, "once", NULL, "measure once, print a table", &asked.is_once },
	{ OPT_SORT, "sort", "KEY", "sort by rate, unread, unsent or process" },
	CLI_COLOR_OPTION,
	{ 'w', "watch", "SECONDS", "measure at this interval", .seconds = &asked.watch_seconds },
	{ 'D', "smcd", NULL, "show SMC-D connections only", &asked.only_smcd,
	  .excludes = "--smcr" },
	{ 'R', "smcr", NULL, "show SMC-R connections only", &asked.only_smcr },
	{ 'o', "output", "COLUMNS", "show these columns, separated by commas",
	  .text = &asked.columns },
	{ 'H', "no-header", NULL, "leave out the header lines", &asked.no_header },
	{ 'j', "json", NULL, "write one JSON document; with -w, one per line", &asked.is_json,
	  .excludes = "--no-header" },
	{ 'N', "netns", "NETNS", "look into a network namespace: name, PID or path",
	  .text = &asked.netns },
	{ 0 },
};

static int help(const struct cli_tool *self)
{
	return sockets_help(self, top_columns);
}

static const struct cli_tool tool = {
	.name = "smc_top",
	.usage = "[OPTIONS] [FILTER]",
	.summary = "Show how fast SMC connections are and what slows them down: live on a\n"
		   "terminal, else as a table.",
	.examples = "  smc_top dst 10.0.0.7\n  smc_top --once --sort unread dport = 6379\n",
	.opts = options,
	.error_status = 1,
	.help = help,
};

/* A filter may select listening sockets only. */
static int check_filter(const struct filter *filter)
{
	if (filter->has_netns)
		return cli_usage_error(&tool, "the filter 'netns' is for smcss --all-netns");
	for (uint8_t state = 1; state < 32; state++)
		if (state != SMC_ABI_LISTEN && filter_can_match(filter, state))
			return 0;
	return cli_usage_error(&tool, "for listening sockets, use 'smcss -l'");
}

static int take_sort(int val)
{
	int sort = cli_word(&tool, val, top_sort_names, optarg);

	asked.sort = (enum top_key)sort;
	return sort < 0;
}

/* Return: -1 to continue, or the exit status. */
static int parse(int argc, char **argv)
{
	struct out_view view;
	struct smc_err err;
	int status = cli_parse(&tool, argc, argv, take_sort);

	if (status >= 0)
		return status;
	if (filter_parse(&asked.filter, argc - optind, argv + optind, &err) ||
	    top_view(&view, &asked, &err))
		return cli_usage_error(&tool, "%s", err.text);
	return check_filter(&asked.filter) ? tool.error_status : -1;
}

/* Print tables or JSON, once or repeatedly, beginning with the second sample. */
static int repeat(struct rates *rates, struct smc_err *err)
{
	bool is_repeated = asked.watch_seconds > 0 && !asked.is_once;
	int ret = rates_take(rates, &asked, err);

	for (bool is_first = true; !ret && (is_first || is_repeated); is_first = false) {
		cli_wait(asked.watch_seconds > 0 ? asked.watch_seconds : TOP_SECONDS);
		if (is_repeated)
			ret = sockets_separate(asked.is_json, is_first, err);
		ret = ret ?: top_print(&asked, rates, err);
	}
	return ret;
}

/* End by the same signal, with the terminal restored. Return: the exit status, if that fails. */
static int end_by(int signal)
{
	if (!signal)
		return cli_close_stdout(&tool);
	raise(signal);
	/* nohup(1) ignores SIGHUP. */
	return 128 + signal;
}

int main(int argc, char **argv)
{
	struct smc_err err = { 0 };
	int status, signal = 0, ret;
	struct rates rates AUTO(rates_free) = { 0 };
	sigset_t ends;

	cli_start();
	status = parse(argc, argv);
	if (status >= 0)
		return status;
	if (enclose_record(&err) || smc_netns_enter(asked.netns, &err))
		return cli_error(&tool, "%s", err.text);
	signals_interruptible(&ends);
	if (!asked.is_once && !asked.is_json && terminal_usable())
		ret = top_run(&asked, &rates, &signal, &err);
	else
		ret = repeat(&rates, &err);
	return ret ? cli_error(&tool, "%s", err.text) : end_by(signal);
}
