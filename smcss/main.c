// SPDX-License-Identifier: MIT
/* smcss: lists SMC sockets and says for each what it really runs over, and why. */
#include "events.h"
#include "top.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <getopt.h>

#include "cli/cli.h"
#include "terminal.h"
#include "sys/enclose.h"
#include "sys/netns.h"
#include "sys/signals.h"

enum {
	OPT_TOP = CLI_LONG_ONLY,
	OPT_ONCE,
	OPT_SORT,
	OPT_EVENTS,
	OPT_COUNT,
	OPT_ALL_NETNS,
	OPT_METRICS,
};

static const struct cli_opt options[] = {
	{ 'a', "all", NULL, "show all sockets, listening and unconnected ones too" },
	{ 'l', "listening", NULL, "show listening sockets only",
	  .excludes = "--debug --all --smcr --smcd" },
	{ 'd', "debug", NULL, "add buffer sizes, cursors and flags" },
	{ 'D', "smcd", NULL, "show SMC-D connections only, with their SMC-D details",
	  .excludes = "--smcr" },
	{ 'R', "smcr", NULL, "show SMC-R connections only, with their SMC-R details" },
	{ 'W', "wide", NULL, "address columns wide enough for IPv6" },
	{ 'e', "explain", NULL, "say in words why a connection runs over TCP" },
	{ 'p', "processes", NULL, "show the processes that hold a socket" },
	{ 'n', "names", NULL, "show user names instead of numbers" },
	{ 's', "summary", NULL, "count by mode, process, peer and reason",
	  .excludes = "--debug --output --no-header --explain --wide --names" },
	{ 'o', "output", "COLUMNS", "show these columns, separated by commas",
	  .excludes = "--debug --names" },
	{ 'H', "no-header", NULL, "leave out the header line" },
	{ 'j', "json", NULL, "write one JSON document", .excludes = "--no-header --wide --names" },
	{ 'N', "netns", "NETNS", "look into a network namespace: a name, a process id or a path" },
	{ OPT_ALL_NETNS, "all-netns", NULL, "look into all network namespaces; -s: by container",
	  .excludes = "--netns --top --events" },
	{ OPT_METRICS, "metrics", NULL, "write counts in Prometheus' text form",
	  .excludes = "--listening --debug --smcd --smcr --explain --no-header --output --summary "
		      "--json --watch --wide --names --top --events" },
	{ 'w', "watch", "SECONDS", "repeat until interrupted" },
	{ OPT_TOP, "top", NULL, "show how fast connections are and what slows them down, live",
	  .excludes = "--all --listening --summary --debug --explain --names --wide" },
	{ OPT_ONCE, "once", NULL, "with --top: measure once, print a table", .needs = "--top" },
	{ OPT_SORT, "sort", "KEY", "with --top: first by rate, unread, unsent or process",
	  .needs = "--top" },
	{ OPT_EVENTS, "events", NULL, "show what happens to connections and links, as it happens",
	  .excludes = "--all --listening --debug --wide --names --summary --output --no-header "
		      "--watch --top" },
	{ OPT_COUNT, "count", "NUMBER", "with --events: end after so many", .needs = "--events" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

static const char more[] =
	"FILTER is made of these tests, joined by and, or, not and parentheses:\n"
	"  state NAME         active, listen, init, closed, ...; connected, closing, all\n"
	"  mode MODE          smcr, smcd, tcp or none\n"
	"  port OP PORT       sport: local, dport: the peer's; OP is =, !=, <, <=, > or >=\n"
	"  host ADDR          address[/prefix][:port]; src: local, dst: the peer's\n"
	"  uid USER           owner, by name or number\n"
	"\n"
	"Columns for --output:\n";

static uint64_t given;

static const struct cli_tool tool = {
	.name = "smcss",
	.usage = "[OPTIONS] [FILTER]",
	.summary = "Lists SMC sockets: what each connection runs over, and if it is TCP, why.",
	.opts = options,
	.more = more,
	.error_status = 1,
	.given = &given,
};

static int help(void)
{
	struct cli_tool whole = tool;
	struct out_text text = { 0 };
	int status;

	out_str(&text, more);
	out_col_names(&text, smcss_columns);
	out_char(&text, '\0');
	whole.more = text.data;
	status = cli_help(&whole);
	out_free(&text);
	return status;
}

static bool set_flag(struct smcss_opts *opts, int letter)
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
	case OPT_TOP: opts->is_top = true; break;
	case OPT_ONCE: opts->is_once = true; break;
	case OPT_EVENTS: opts->is_events = true; break;
	case OPT_ALL_NETNS: opts->is_all_netns = true; break;
	case OPT_METRICS: opts->is_metrics = opts->is_summary = true; break;
	default: return false;
	}
	return true;
}

static int set_sort(struct smcss_opts *opts, const char *name)
{
	int sort = top_sort_parse(name);

	if (sort < 0)
		return cli_usage_error(&tool, "'%s' is not rate, unread, unsent or process", name);
	opts->sort = (enum smcss_sort)sort;
	return 0;
}

/* A filter may ask for nothing but sockets that listen. */
static int check_top_filter(const struct smcss_opts *opts)
{
	for (uint8_t state = 1; state < 32; state++)
		if (state != SMC_ABI_LISTEN && filter_can_match(&opts->filter, state))
			return 0;
	return cli_usage_error(&tool, "--top shows connections, not sockets that listen");
}

/* What depends on more than two options, on the filter or on columns. */
static int check_filter(const struct smcss_opts *opts)
{
	/* In events -e adds the remedies; in a list the words are there anyway. */
	if (opts->is_json && opts->is_explained && !opts->is_events)
		return cli_usage_error(&tool,
				       "options '--json' and '--explain' exclude each other");
	if (opts->is_events && opts->filter.has_state)
		return cli_usage_error(&tool, "--events has no states to filter by");
	if (opts->filter.has_netns && !opts->is_all_netns)
		return cli_usage_error(&tool, "the filter 'netns' is for --all-netns");
	if (opts->is_all_netns && opts->has_rates)
		return cli_usage_error(&tool, "--all-netns has no rates");
	return opts->is_top ? check_top_filter(opts) : 0;
}

static int set_count(struct smcss_opts *opts, const char *word)
{
	char *end;

	/* strtoul() takes signs and blanks as well. */
	errno = *word >= '0' && *word <= '9' ? 0 : EINVAL;
	opts->max_events = strtoul(word, &end, 10);
	if (errno || *end || !opts->max_events)
		return cli_usage_error(&tool, "'%s' is not a number from 1 on", word);
	return 0;
}

/* What the chosen columns need to be known. */
static void note_columns(struct smcss_opts *opts)
{
	static const char *const measured[] = { "rate_", "unread", "unsent", "brake" };

	if (!opts->columns)
		return;
	opts->has_processes |= strstr(opts->columns, "process") || strstr(opts->columns, "holder");
	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
		opts->has_rates |= !!strstr(opts->columns, measured[i]);
}

/* Return: -1 to go on, or the exit status. */
static int parse(struct smcss_opts *opts, int argc, char **argv)
{
	struct smc_err err;
	int letter;

	while ((letter = cli_getopt(&tool, argc, argv)) != -1) {
		if (set_flag(opts, letter))
			continue;
		switch (letter) {
		case 'o': opts->columns = optarg; break;
		case 'N': opts->netns = optarg; break;
		case 'w':
			if (cli_seconds(&tool, &opts->watch_seconds, optarg))
				return tool.error_status;
			break;
		case OPT_SORT:
			if (set_sort(opts, optarg))
				return tool.error_status;
			break;
		case OPT_COUNT:
			if (set_count(opts, optarg))
				return tool.error_status;
			break;
		case 'v': return cli_version(&tool);
		case 'h': return help();
		default: return tool.error_status;
		}
	}
	if (cli_check(&tool, NULL))
		return tool.error_status;
	if (filter_parse(&opts->filter, argc - optind, argv + optind, &err))
		return cli_usage_error(&tool, "%s", err.text);
	note_columns(opts);
	return check_filter(opts) ? tool.error_status : -1;
}

static int check_columns(const struct smcss_opts *opts)
{
	struct out_view view;
	struct smc_err err;

	if (!smcss_view(&view, opts, &err))
		return 0;
	return cli_usage_error(&tool, "%s", err.text);
}

/* JSON has a document a line. */
static int separate(const struct smcss_opts *opts, bool is_first, struct smc_err *err)
{
	struct out_text text = { 0 };
	int ret;

	out_str(&text, opts->is_json ? "" : cli_separator(is_first));
	ret = out_print(&text, err);
	out_free(&text);
	return ret;
}

/* @spaces: of --all-netns. What may not be seen there is said the first time. */
static int show(const struct smcss_opts *opts, struct rates *rates, struct netns_list *spaces,
		bool is_first, struct smc_err *err)
{
	char text[200];
	int ret;

	if (opts->is_top)
		return top_print(opts, rates, err);
	ret = smcss_list(opts, rates, opts->is_all_netns ? spaces : NULL, err);
	if ((!ret || ret == -EIO) && is_first) {
		netns_list_hidden(spaces, text, sizeof(text));
		cli_warn(&tool, !text[0], "%s", text);
	}
	return ret;
}

/* The first sample, and time for something to happen. */
static int begin_rates(const struct smcss_opts *opts, struct rates *rates, struct smc_err *err)
{
	int ret = rates_take(rates, opts, err);

	if (!ret)
		cli_wait(opts->watch_seconds > 0 ? opts->watch_seconds : TOP_SECONDS);
	return ret;
}

/* Once, or again and again. */
static int repeat(const struct smcss_opts *opts, struct rates *rates, struct smc_err *err)
{
	bool is_repeated = opts->watch_seconds > 0 && !opts->is_once, is_first = true;
	struct netns_list spaces = { .count = 0 };
	int ret = rates ? begin_rates(opts, rates, err) : 0;

	while (!ret) {
		if (is_repeated)
			ret = separate(opts, is_first, err);
		if (!ret)
			ret = show(opts, rates, &spaces, is_first, err);
		if (ret || !is_repeated)
			break;
		is_first = false;
		cli_wait(opts->watch_seconds);
	}
	netns_list_free(&spaces);
	return ret;
}

/* The screen. Return: the exit status, unless a signal ends us now that the terminal is itself. */
static int run_top(const struct smcss_opts *opts, struct rates *rates)
{
	struct smc_err err = { 0 };
	int signal = 0;

	if (top_run(opts, rates, &signal, &err))
		return cli_error(&tool, "%s", err.text);
	if (!signal)
		return cli_close_stdout(&tool);
	raise(signal);
	/* nohup(1) has SIGHUP ignored. */
	return 128 + signal;
}

static int run(const struct smcss_opts *opts)
{
	struct rates *rates = opts->is_top || opts->has_rates ? rates_new() : NULL;
	struct smc_err err = { 0 };
	int status;

	if (opts->is_events)
		return events_run(opts, &err) ? cli_error(&tool, "%s", err.text) :
						cli_close_stdout(&tool);
	if (opts->is_top && !opts->is_once && !opts->is_json && cli_terminal_usable())
		status = run_top(opts, rates);
	else if (repeat(opts, rates, &err))
		status = cli_error(&tool, "%s", err.text);
	else
		status = cli_close_stdout(&tool);
	rates_free(rates);
	return status;
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
	if (check_columns(&opts))
		return tool.error_status;
	if (enclose_record(&err))
		return cli_error(&tool, "%s", err.text);
	if (opts.netns && smc_netns_enter(opts.netns, &err))
		return cli_error(&tool, "%s", err.text);
	if (opts.is_events || opts.is_top || opts.watch_seconds > 0)
		signals_interruptible(&ends);
	return run(&opts);
}
