// SPDX-License-Identifier: MIT
/* Take what happens from eBPF, choose, complete and print it. */
#include "events.h"

#include <errno.h>

#include "cli/cli.h"
#include "follow.h"
#include "host/record.h"
#include "host/smc.h"
#include "listeners.h"
#include "out/table.h"
#include "repeats.h"

/* Seconds between two times of reading what happened. */
#define PAUSE 0.1

/* What is printed at once at most, in bytes. */
#define PRINT_AT 65536

/** struct events - @count: those that were printed; @is_done: as many as were asked for */
struct events {
	const struct events_opts *opts;
	struct smc_err *err;
	struct listeners *listeners;
	struct repeats *repeats;
	struct follow *follow;
	struct out_text text;
	unsigned long count;
	bool is_done;
};

/* Links have no addresses. */
static bool is_chosen(const struct events *events, const struct event *event)
{
	const struct events_opts *opts = events->opts;
	enum smc_mode mode = smc_sock_mode(&event->sock);

	if (event->kind == EVENT_START)
		return opts->is_json;
	if (event->kind == EVENT_LOST)
		return true;
	if (event_is_link(event))
		return !opts->only_smcd && !opts->filter.count;
	return (!opts->only_smcd || mode == SMC_MODE_SMCD) &&
	       (!opts->only_smcr || mode == SMC_MODE_SMCR) &&
	       filter_match(&opts->filter, &event->sock);
}

static int print(struct events *events, const struct event *event)
{
	const struct events_opts *opts = events->opts;

	if (opts->is_json)
		out_json_document(&events->text, event_json(event, opts->is_explained), true);
	else
		event_text(&events->text, event);
	if (!opts->is_json && opts->is_explained)
		event_remedies(&events->text, event);
	return events->text.len >= PRINT_AT ? out_print(&events->text, events->err) : 0;
}

/* What the kernel's worker does is done for whoever listens. */
static int complete(struct events *events, struct event *event)
{
	if (event->kind == EVENT_FALLBACK && event->sock.peer.family != AF_UNSPEC)
		event->nth = repeats_count(events->repeats, &event->sock.peer, event->at);
	if (event->side == EVENT_SERVER && !event->process.pid)
		return listeners_find(events->listeners, event, events->err);
	return 0;
}

static int on_event(void *arg, struct event *event)
{
	struct events *events = arg;
	int ret;

	if (event->kind == EVENT_UNLISTEN) {
		listeners_stale(events->listeners);
		return 0;
	}
	ret = complete(events, event);
	if (ret || events->is_done || !is_chosen(events, event))
		return ret;
	if (event->kind != EVENT_START && event->kind != EVENT_LOST)
		events->is_done = ++events->count == events->opts->max_events;
	return print(events, event);
}

static int repeat(struct events *events)
{
	int ret = 0;

	while (!ret && !events->is_done) {
		ret = follow_read(events->follow, events->err);
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

	/* The program looks for SMC in the kernel. */
	if (host_af_smc() == -EAFNOSUPPORT)
		return smc_err_say(events->err, ENOENT, SMC_MISSING);
	ret = follow_open(&events->follow, on_event, events, events->err);
	if (ret)
		return ret;
	event.at = event_now();
	return on_event(events, &event);
}

int events_run(const struct events_opts *opts, struct smc_err *err)
{
	struct events events = {
		.opts = opts,
		.err = err,
		.listeners = listeners_new(),
		.repeats = repeats_new(),
	};
	int ret = record_root() ? smc_err_say(err, EROFS, "nothing happens in a record") : 0;

	if (!ret)
		ret = start(&events);
	if (!ret)
		ret = repeat(&events);
	follow_close(events.follow);
	repeats_free(events.repeats);
	listeners_free(events.listeners);
	out_free(&events.text);
	return ret;
}
