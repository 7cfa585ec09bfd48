// SPDX-License-Identifier: MIT
/* smc_events: show events of SMC connections and links as they happen. */
#include <signal.h>
#include <getopt.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "host/record.h"
#include "host/smc.h"
#include "net/netns.h"
#include "out/list.h"
#include "process/signals.h"
#include "sandbox/enclose.h"
#include "smc/filter.h"
#include "smc_events/event.h"

/* Seconds between two reads of the ring */
#define PAUSE 0.1
/* Bytes printed at once, at most */
#define PRINT_AT 65536

enum { OPT_COUNT = CLI_LONG_ONLY };

/** struct opts - the command line, read; @max_events: 0: no end */
static struct opts {
	bool only_smcd, only_smcr, is_json, is_explained;
	uint64_t max_events;
	const char *netns;
	struct filter filter;
} asked;

static const struct cli_opt options[] = {
	{ 'e', "explain", NULL, "explain each fallback, and print commands that help",
	  &asked.is_explained },
	{ 'D', "smcd", NULL, "show SMC-D connections only", &asked.only_smcd,
	  .excludes = "--smcr" },
	{ 'R', "smcr", NULL, "show SMC-R connections and links only", &asked.only_smcr },
	{ OPT_COUNT, "count", "NUMBER", "end after this many events" },
	{ 'j', "json", NULL, "write one line of JSON per event", &asked.is_json },
	{ 'N', "netns", "NETNS", "follow a network namespace: name, PID or path",
	  .text = &asked.netns },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_events",
	.usage = "[OPTIONS] [FILTER]",
	.summary = "Show what happens to SMC connections and links, as it happens. Needs root.",
	.examples = "  smc_events -e mode tcp\n  smc_events dst 10.0.0.7\n",
	.opts = options,
	.more = FILTER_HELP FILTER_HELP_TESTS,
	.error_status = 1,
};

/** struct events - @count: events printed; @is_done: --count is reached */
struct events {
	struct smc_err *err;
	struct listeners listeners;
	struct follow follow;
	struct out_text text;
	struct sockets_codes known;
	size_t width;
	unsigned long count;
	bool is_done;
};

/* ---- options ---- */

static int take_count(int val)
{
	return cli_number(&tool, val, optarg, 1, UINT32_MAX, &asked.max_events);
}

/* Return: -1 to go on, or the exit status. */
static int parse(int argc, char **argv)
{
	struct smc_err err;
	int status = cli_parse(&tool, argc, argv, take_count);

	if (status >= 0)
		return status;
	if (filter_parse(&asked.filter, argc - optind, argv + optind, &err))
		return cli_usage_error(&tool, "%s", err.text);
	if (asked.filter.has_state)
		return cli_usage_error(&tool, "events have no states to filter by");
	if (asked.filter.has_netns)
		return cli_usage_error(&tool, "the filter 'netns' is for smcss --all-netns");
	return -1;
}

/* ---- events ---- */

/* Links have no addresses. */
static bool is_chosen(const struct event *event)
{
	enum smc_mode mode = smc_sock_mode(&event->sock);

	if (event->kind == EVENT_START)
		return asked.is_json;
	if (event->kind == EVENT_LOST)
		return true;
	if (event_is_link(event))
		return !asked.only_smcd && !asked.filter.count;
	return (!asked.only_smcd || mode == SMC_MODE_SMCD) &&
	       (!asked.only_smcr || mode == SMC_MODE_SMCR) &&
	       filter_match(&asked.filter, &event->sock);
}

/* On a terminal text that does not fit goes below the addresses. */
static void print_on_terminal(struct events *events, const struct event *event)
{
	struct out_text line AUTO(out_free) = { .len = 0 };

	event_text(&line, event);
	line.data[line.len - 1] = '\0';
	out_wrap(&events->text, events->width, 0, 12, line.data);
	out_char(&events->text, '\n');
	if (asked.is_explained)
		event_remedies_read(&events->text, event, events->width, &events->known);
}

static int print(struct events *events, const struct event *event)
{
	if (asked.is_json) {
		out_json_document(&events->text, event_json(event, asked.is_explained), true);
	} else if (events->width) {
		print_on_terminal(events, event);
	} else {
		event_text(&events->text, event);
		if (asked.is_explained)
			event_remedies(&events->text, event);
	}
	return events->text.len >= PRINT_AT ? out_print(&events->text, events->err) : 0;
}

static int on_event(void *arg, struct event *event)
{
	struct events *events = arg;
	int ret = 0;

	if (event->kind == EVENT_UNLISTEN) {
		events->listeners.is_stale = true;
		return 0;
	}
	/* The kernel's worker accepts for the process that listens. */
	if (event->side == SMCLIFE_SERVER && !event->process.pid)
		ret = listeners_find(&events->listeners, event, events->err);
	if (ret || events->is_done || !is_chosen(event))
		return ret;
	if (event->kind != EVENT_START && event->kind != EVENT_LOST)
		events->is_done = ++events->count == asked.max_events;
	return print(events, event);
}

static int repeat(struct events *events)
{
	int ret = 0;

	while (!ret && !events->is_done) {
		ret = follow_read(&events->follow, events->err);
		if (!ret)
			ret = out_print(&events->text, events->err);
		if (!ret && !events->is_done)
			cli_wait(PAUSE);
	}
	return ret;
}

static int start(struct events *events)
{
	struct event event = { .kind = EVENT_START };
	int ret;

	if (record_root())
		return smc_err_say(events->err, EROFS, "a recorded host has no events");
	/* The program looks for SMC in the kernel. */
	if (host_af_smc() == -EAFNOSUPPORT)
		return smc_err_say(events->err, ENOENT, "%s", smc_missing());
	events->follow.fn = on_event;
	events->follow.arg = events;
	ret = follow_open(&events->follow, events->err);
	if (ret)
		return ret;
	cli_none("smc_events: waiting for connections, until Ctrl-C");
	event.at = clock_ns(CLOCK_REALTIME);
	return on_event(events, &event);
}

int main(int argc, char **argv)
{
	struct events events = { 0 };
	struct smc_err err = { 0 };
	sigset_t ends;
	int status;

	cli_start();
	status = parse(argc, argv);
	if (status >= 0)
		return status;
	events.err = &err;
	events.width = asked.is_json ? 0 : cli_columns();
	if (enclose_record(&err) || smc_netns_enter(asked.netns, &err))
		return cli_error(&tool, "%s", err.text);
	signals_interruptible(&ends);
	status = start(&events) || repeat(&events) ? cli_error(&tool, "%s", err.text) :
						     cli_close_stdout(&tool);
	bpf_programs_close(events.follow.programs);
	free(events.listeners.entries);
	free(events.known.codes);
	out_free(&events.text);
	return status;
}
