// SPDX-License-Identifier: MIT
/* An event as text and as JSON. */
#include "smc_events/event.h"

#include <time.h>

#include "base/words.h"
#include "out/table.h"
#include "out/list.h"
#include "out/units.h"
#include "smc/reason.h"
#include "sockets/show.h"

#define SECOND 1000000000

static const char *event_name(enum event_kind kind)
{
	static const char *const names[] = {
		[EVENT_START] = "start",       [EVENT_CONNECTED] = "connected",
		[EVENT_FALLBACK] = "fallback", [EVENT_CLOSED] = "closed",
		[EVENT_LINK_UP] = "link up",   [EVENT_LINK_DOWN] = "link down",
		[EVENT_LOST] = "lost",	       [EVENT_UNLISTEN] = "unlisten",
	};

	return names[kind];
}

bool event_is_link(const struct event *event)
{
	return event->kind == EVENT_LINK_UP || event->kind == EVENT_LINK_DOWN;
}

/* ---- text ---- */

/* Format "2026-11-22T12:01:07.412345Z", or in local time "12:01:07.412". */
static void event_time(struct out_text *text, int64_t at, bool is_local)
{
	time_t seconds = at / SECOND;
	struct tm tm = { .tm_sec = 0 };
	char clock[32];

	(is_local ? localtime_r : gmtime_r)(&seconds, &tm);
	strftime(clock, sizeof(clock), is_local ? "%T" : "%FT%T", &tm);
	out_printf(text, is_local ? "%s.%03d" : "%s.%06dZ", clock,
		   (int)(at % SECOND / (is_local ? 1000000 : 1000)));
}

/* Two units, the second without leading zeros. */
static void append_two(struct out_text *text, int64_t count, int64_t per, const char *large,
		       const char *small)
{
	out_printf(text, "%" PRId64 " %s", count / per, large);
	if (count % per)
		out_printf(text, " %" PRId64 " %s", count % per, small);
}

void event_duration(struct out_text *text, int64_t ns)
{
	int64_t us = (ns + 500) / 1000, seconds = (ns + SECOND / 2) / SECOND;

	if (us < 9950)
		out_printf(text, "%" PRId64 ".%" PRId64 " ms", (us + 50) / 1000,
			   (us + 50) % 1000 / 100);
	else if (us < 999500)
		out_printf(text, "%" PRId64 " ms", (us + 500) / 1000);
	else if (us < 59950000)
		out_printf(text, "%" PRId64 ".%" PRId64 " s", (us + 50000) / 1000000,
			   (us + 50000) % 1000000 / 100000);
	else if (seconds < 3600)
		append_two(text, seconds, 60, "min", "s");
	else if (seconds < 86400)
		append_two(text, seconds / 60, 60, "h", "min");
	else
		append_two(text, seconds / 3600, 24, "d", "h");
}

static void append_ends(struct out_text *text, const struct event *event)
{
	static const char *const arrows[] = { " - ", " > ", " < " };

	sockets_append_addr(text, &event->sock.local);
	out_str(text, arrows[event->side]);
	sockets_append_addr(text, &event->sock.peer);
}

static void append_moved(struct out_text *text, const char *name, const struct event_moved *moved)
{
	char buf[OUT_UNITS];

	out_printf(text, "  %s %s", name, moved->is_least ? "at least " : "");
	out_str(text, out_data(buf, moved->bytes));
}

static void append_duration(struct out_text *text, const char *name, int64_t ns)
{
	if (ns < 0)
		return;
	out_str(text, name);
	event_duration(text, ns);
}

static void append_connection(struct out_text *text, const struct event *event)
{
	const struct smc_diag_fallback *fallback = &event->sock.fallback;

	append_ends(text, event);
	if (event->kind == EVENT_FALLBACK) {
		out_printf(text, "  0x%08" PRIx32, fallback->reason);
		if (fallback->peer_diagnosis)
			out_printf(text, "/0x%08" PRIx32, fallback->peer_diagnosis);
		out_char(text, ' ');
		sockets_append_reason(text, fallback);
	} else {
		out_printf(text, "  %s", smc_mode_name(smc_sock_mode(&event->sock)));
		append_duration(text, "  handshake ", event->handshake);
		append_duration(text, "  ", event->lived);
	}
	if (event->has_bytes) {
		append_moved(text, "in", &event->in);
		append_moved(text, "out", &event->out);
	}
	if (event->process.pid) {
		out_str(text, "  ");
		out_escaped(text, event->process.comm, sizeof(event->process.comm));
		out_printf(text, "[%d]", (int)event->process.pid);
	}
}

static void append_link(struct out_text *text, const struct smclife_link *link, bool is_down)
{
	out_printf(text, "link group %08" PRIx32 "  ", link->lgr);
	out_escaped(text, link->device, sizeof(link->device));
	out_printf(text, "/%u: ", link->port);
	if (!is_down) {
		out_printf(text, "link %u", link->id);
		return;
	}
	if (link->has_connections)
		out_printf(text, "%" PRIu32 " connection%s ", link->connections,
			   plural_s(link->connections));
	else
		out_str(text, "its connections ");
	if (link->to)
		out_printf(text, "moved to link %u", link->to);
	else
		out_str(text, "lost: no other link");
}

void event_text(struct out_text *text, const struct event *event)
{
	event_time(text, event->at, true);
	out_printf(text, "  %-9s  ", event_name(event->kind));
	if (event->kind == EVENT_LOST)
		out_printf(text, "%" PRIu64 " event%s: too fast to print", event->lost,
			   plural_s(event->lost));
	else if (event_is_link(event))
		append_link(text, &event->link, event->kind == EVENT_LINK_DOWN);
	else
		append_connection(text, event);
	out_char(text, '\n');
}

/* ---- remedies ---- */

/* Prefer the peer's reason; it is more specific. */
static uint32_t telling(const struct event *event, bool *is_peer)
{
	*is_peer = event->sock.fallback.peer_diagnosis;
	return *is_peer ? event->sock.fallback.peer_diagnosis : event->sock.fallback.reason;
}

void event_remedies(struct out_text *text, const struct event *event)
{
	static const char *const places[] = { "here", "peer", "both" };
	bool is_peer;
	uint32_t code = telling(event, &is_peer);

	if (event->kind != EVENT_FALLBACK)
		return;
	sockets_explain(text, &event->sock);
	for (const struct smc_remedy *at = smc_remedies(code); at; at = smc_remedy_next(at))
		out_printf(text, "        type, %s: %s # %s\n", places[smc_remedy_at(at, is_peer)],
			   at->command, at->purpose);
}

static void explain_once(struct out_text *text, size_t width, uint32_t code,
			 struct sockets_codes *known)
{
	if (sockets_codes_add(known, code)) {
		sockets_explain_code(text, width, "", code);
		return;
	}
	out_str(text, "    ");
	sockets_append_symbol(text, code);
	out_str(text, ": as above\n");
}

void event_remedies_read(struct out_text *text, const struct event *event, size_t width,
			 struct sockets_codes *known)
{
	static const char *const places[] = { "here: ", "on the peer: ", "on both: " };
	const struct smc_diag_fallback *fallback = &event->sock.fallback;
	bool is_peer, is_new;
	uint32_t code = telling(event, &is_peer);
	size_t before = known->count;

	if (event->kind != EVENT_FALLBACK)
		return;
	explain_once(text, width, fallback->reason, known);
	if (fallback->peer_diagnosis)
		explain_once(text, width, fallback->peer_diagnosis, known);
	is_new = known->count > before;
	for (const struct smc_remedy *at = is_new ? smc_remedies(code) : NULL; at;
	     at = smc_remedy_next(at)) {
		const char *place = places[smc_remedy_at(at, is_peer)];

		out_printf(text, "        %s", place);
		out_wrap(text, width, 8 + strlen(place), 8, at->purpose);
		/* A command is not wrapped, so that it can be copied. */
		out_printf(text, "\n        -> %s\n", at->command);
	}
}

/* ---- JSON ---- */

static void set(json_t *json, const char *key, json_t *value)
{
	json_object_set_new(json, key, value);
}

static void set_seconds(json_t *json, const char *key, int64_t ns)
{
	if (ns >= 0)
		set(json, key, json_real((double)ns / SECOND));
}

static void set_fallback(json_t *json, const struct event *event, bool explained)
{
	const struct smc_diag_fallback *fallback = &event->sock.fallback;
	bool is_peer;
	uint32_t code = telling(event, &is_peer);

	set(json, "reason", sockets_json_reason(fallback->reason));
	if (fallback->peer_diagnosis)
		set(json, "peer_reason", sockets_json_reason(fallback->peer_diagnosis));
	if (explained)
		set(json, "remedies", sockets_json_remedies(code, is_peer));
}

static void set_connection(json_t *json, const struct event *event, bool explained)
{
	static const char *const sides[] = { NULL, "client", "server" };
	enum smc_mode mode = smc_sock_mode(&event->sock);

	if (event->side)
		set(json, "side", json_string(sides[event->side]));
	set(json, "local", sockets_json_addr(&event->sock.local));
	set(json, "peer", sockets_json_addr(&event->sock.peer));
	if (mode != SMC_MODE_NONE)
		set(json, "mode", json_string(smc_mode_name(mode)));
	if (mode == SMC_MODE_SMCR && event->lgr)
		set(json, "link_group", json_sprintf("%08" PRIx32, event->lgr));
	if (mode == SMC_MODE_TCP && event->sock.has & SMC_SOCK_HAS_FALLBACK)
		set_fallback(json, event, explained && event->kind == EVENT_FALLBACK);
	set_seconds(json, "handshake_seconds", event->handshake);
	set_seconds(json, "seconds", event->lived);
	if (event->has_bytes) {
		set(json, event->in.is_least ? "in_least" : "in", out_json_number(event->in.bytes));
		set(json, event->out.is_least ? "out_least" : "out",
		    out_json_number(event->out.bytes));
	}
	if (event->process.pid)
		set(json, "process",
		    json_pack("{s:i, s:o}", "pid", (int)event->process.pid, "command",
			      out_json_string(event->process.comm, sizeof(event->process.comm))));
}

static void set_link(json_t *json, const struct event *event)
{
	const struct smclife_link *link = &event->link;

	set(json, "link_group", json_sprintf("%08" PRIx32, link->lgr));
	set(json, "link", json_integer(link->id));
	set(json, "device", out_json_string(link->device, sizeof(link->device)));
	set(json, "port", json_integer(link->port));
	if (event->kind == EVENT_LINK_DOWN && link->has_connections)
		set(json, "connections", json_integer(link->connections));
	if (event->kind == EVENT_LINK_DOWN && link->to)
		set(json, "to_link", json_integer(link->to));
}

json_t *event_json(const struct event *event, bool explained)
{
	struct out_text time AUTO(out_free) = { .len = 0 };
	json_t *json;

	event_time(&time, event->at, false);
	json = json_pack("{s:s, s:s%, s:s}", "schema", "smc-tools/events/1", "time", time.data,
			 time.len, "event", event_name(event->kind));
	if (event->kind == EVENT_LOST)
		set(json, "lost", out_json_number(event->lost));
	else if (event_is_link(event))
		set_link(json, event);
	else if (event->kind != EVENT_START)
		set_connection(json, event, explained);
	return json;
}
