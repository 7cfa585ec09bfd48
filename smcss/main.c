// SPDX-License-Identifier: MIT
/* smcss: list SMC sockets, their actual transport, and the reason for it. */
#include "smcss/smcss.h"

#include <signal.h>
#include <getopt.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "host/record.h"
#include "launch/learned_list.h"
#include "net/netns.h"
#include "process/signals.h"
#include "sandbox/enclose.h"

enum {
	OPT_ALL_NETNS = CLI_LONG_ONLY,
	OPT_METRICS,
	OPT_DRY_RUN,
	OPT_LEARNED,
};

static struct smcss_opts asked;
static bool is_learned;

static const struct cli_opt options[] = {
	{ 'a', "all", NULL, "also show listening and unconnected sockets", &asked.is_all },
	{ 'l', "listening", NULL, "show listening sockets only", &asked.is_listening,
	  .excludes = "--debug --all --smcr --smcd" },
	{ 'D', "smcd", NULL, "show SMC-D connections only, with details", &asked.only_smcd,
	  .excludes = "--smcr" },
	{ 'R', "smcr", NULL, "show SMC-R connections only, with details", &asked.only_smcr },
	{ 'N', "netns", "NETNS", "look into a network namespace: name, PID or path",
	  .text = &asked.netns },
	{ OPT_ALL_NETNS, "all-netns", NULL, "look into all network namespaces; -s: by container",
	  &asked.is_all_netns, .excludes = "--netns" },
	{ 'K', "kill", NULL, "end the connections that FILTER selects", &asked.is_kill,
	  .excludes = "--all --listening --summary --json --metrics --watch" },
	{ OPT_DRY_RUN, "dry-run", NULL, "list what --kill would end", &asked.is_dry,
	  .needs = "--kill" },
	{ OPT_LEARNED, "learned", NULL, "list what smc_run learned about destinations", &is_learned,
	  .excludes =
		  "--all --listening --debug --smcd --smcr --wide --explain --processes --names "
		  "--summary --output --no-header --all-netns --metrics --watch --kill" },
	{ 'e', "explain", NULL, "explain why a connection uses TCP", &asked.is_explained,
	  .group = "Output" },
	{ 'p', "processes", NULL, "show the processes that hold a socket", &asked.has_processes },
	{ 'd', "debug", NULL, "add buffer sizes, cursors and flags", &asked.is_debug },
	{ 'o', "output", "COLUMNS", "show these columns, separated by commas",
	  .text = &asked.columns, .excludes = "--debug --names" },
	{ 'W', "wide", NULL, "make address columns wide enough for IPv6", &asked.is_wide },
	{ 'n', "names", NULL, "show user names instead of numbers", &asked.has_names },
	{ 's', "summary", NULL, "count by mode, process, peer and reason", &asked.is_summary,
	  .excludes = "--debug --output --no-header --explain --wide --names" },
	{ 'H', "no-header", NULL, "leave out the header line", &asked.no_header },
	{ 'j', "json", NULL, "write one JSON document", &asked.is_json,
	  .excludes = "--explain --no-header --wide --names" },
	{ OPT_METRICS, "metrics", NULL, "write counts in Prometheus' text form", &asked.is_metrics,
	  .excludes = "--listening --debug --smcd --smcr --explain --no-header --output --summary "
		      "--json --watch --wide --names" },
	CLI_COLOR_OPTION,
	{ 'w', "watch", "SECONDS", "repeat until interrupted", .seconds = &asked.watch_seconds },
	{ 0 },
};

static int help(const struct cli_tool *self)
{
	return sockets_help(self, smcss_columns);
}

static const struct cli_tool tool = {
	.name = "smcss",
	.usage = "[OPTIONS] [FILTER]",
	.summary = "List SMC sockets: which use SMC-R, SMC-D or TCP, and why.",
	.examples = "  smcss -e dport = 6379\n  smcss --kill dst 10.0.0.7\n",
	.opts = options,
	.error_status = 1,
	.help = help,
};

/* Return: -1 to continue, or the exit status. */
static int parse(int argc, char **argv)
{
	struct out_view view;
	struct smc_err err;
	int status = cli_parse(&tool, argc, argv, NULL);

	if (status >= 0)
		return status;
	asked.is_summary |= asked.is_metrics;
	if (filter_parse(&asked.filter, argc - optind, argv + optind, &err))
		return cli_usage_error(&tool, "%s", err.text);
	if (asked.filter.has_netns && !asked.is_all_netns)
		return cli_usage_error(&tool, "the filter 'netns' is for --all-netns");
	if (is_learned && cli_no_operand(&tool, argv[optind]))
		return tool.error_status;
	if (asked.is_kill && optind == argc)
		return cli_usage_error(&tool, "'--kill' needs a filter");
	asked.width = asked.is_json || asked.is_metrics ? 0 : cli_columns();
	asked.has_processes |= asked.is_kill;
	asked.has_processes |= asked.columns ? sockets_need_processes(asked.columns) : asked.width;
	return smcss_view(&view, &asked, &err) ? cli_usage_error(&tool, "%s", err.text) : -1;
}

/* Mention learned destinations: ld_pre_smc.so is the reason why they have no SMC connections. */
static void show_learned(void)
{
	int count;

	if (asked.is_json || asked.is_metrics || asked.no_header || asked.is_all_netns ||
	    (!asked.is_summary && !isatty(STDOUT_FILENO)))
		return;
	count = learned_count();
	if (count)
		printf("%d destination%s by choice: smcss --learned\n", count,
		       count == 1 ? " uses TCP" : "s use TCP");
}

/* @spaces: for --all-netns. Hidden namespaces are reported the first time. */
static int show(struct netns_list *spaces, bool is_first, struct smc_err *err)
{
	char text[200];
	int ret = smcss_list(&asked, asked.is_all_netns ? spaces : NULL, err);

	if ((!ret || ret == -EIO) && is_first) {
		netns_list_hidden(spaces, text, sizeof(text));
		cli_warn(&tool, !text[0], "%s", text);
	}
	if (!ret)
		show_learned();
	return ret;
}

static int repeat(struct smc_err *err)
{
	bool is_repeated = asked.watch_seconds > 0;
	struct netns_list spaces AUTO(netns_list_free) = { .count = 0 };
	int ret = 0;

	for (bool is_first = true; !ret && (is_first || is_repeated); is_first = false) {
		if (!is_first)
			cli_wait(asked.watch_seconds);
		if (is_repeated)
			ret = sockets_separate(asked.is_json, is_first, err);
		ret = ret ?: show(&spaces, is_first, err);
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct smc_err err = { 0 };
	sigset_t ends;
	int status;

	cli_start();
	status = parse(argc, argv);
	if (status >= 0)
		return status;
	if (enclose_record(&err) || (asked.is_kill && record_root() && record_refuse(&err)) ||
	    smc_netns_enter(asked.netns, &err))
		return cli_error(&tool, "%s", err.text);
	if (asked.watch_seconds > 0)
		signals_interruptible(&ends);
	if (is_learned ? smcss_learned(asked.is_json, &err) : repeat(&err))
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool);
}
