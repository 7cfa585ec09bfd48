/* SPDX-License-Identifier: MIT */
/* Events of connections and links: their source, and their forms as text and JSON. */
#pragma once

#include <jansson.h>

#include "base/err.h"
#include "bpf/programs.h"
#include "bpf/smclife.h"
#include "out/text.h"
#include "smc/sock.h"
#include "sockets/lookup.h"
#include "sockets/show.h"

enum event_kind {
	EVENT_CONNECTED = SMCLIFE_CONNECTED,
	EVENT_FALLBACK = SMCLIFE_FALLBACK,
	EVENT_CLOSED = SMCLIFE_CLOSED,
	EVENT_UNLISTEN = SMCLIFE_UNLISTEN, /* not shown: a listener was closed */
	EVENT_LINK_UP = SMCLIFE_LINK_UP,
	EVENT_LINK_DOWN = SMCLIFE_LINK_DOWN,
	EVENT_LOST,  /* some events were lost */
	EVENT_START, /* first event: complete from here on */
};

/** struct event_moved - @is_least: a lower bound, as a cursor may have wrapped */
struct event_moved {
	uint64_t bytes;
	bool is_least;
};

/**
 * struct event - what happened
 * @at: nanoseconds since 1970
 * @sock: addresses, mode, reason and owner of a connection; mode 0xff if unknown
 * @handshake, @lived: nanoseconds, -1: not known
 * @in, @out: valid if @has_bytes
 * @lgr: link group of an SMC-R connection, 0: not known; @lost: for EVENT_LOST: number of events
 */
struct event {
	enum event_kind kind;
	int64_t at;
	struct smc_sock sock;
	enum smclife_side side;
	int64_t handshake, lived;
	bool has_bytes;
	struct event_moved in, out;
	uint32_t lgr;
	struct smclife_process process;
	struct smclife_link link;
	uint64_t lost;
};

/** typedef event_fn - takes an event. Return: 0, -errno */
typedef int (*event_fn)(void *arg, struct event *event);

/** event_is_link() - true if an event is about a link */
bool event_is_link(const struct event *event);

/** event_text() - append one line, in local time */
void event_text(struct out_text *text, const struct event *event);

/** event_remedies() - append the meaning of a fallback, and commands that may help */
void event_remedies(struct out_text *text, const struct event *event);

/**
 * event_remedies_read() - append reasons with remedies, for a terminal of this @width
 * @known: reasons explained before, which are not repeated
 */
void event_remedies_read(struct out_text *text, const struct event *event, size_t width,
			 struct sockets_codes *known);

/** event_json() - the event as an object; @explained: with commands that may help */
json_t *event_json(const struct event *event, bool explained);

/** event_duration() - append "1.9 ms", "12.3 s", "4 min 12 s", "3 h 4 min", "2 d 3 h" */
void event_duration(struct out_text *text, int64_t ns);

/* ---- the source: the eBPF program that follows SMC sockets ---- */

/** struct follow - @fn, @arg: for follow_read(); @state: map; @lost: lost events reported */
struct follow {
	event_fn fn;
	void *arg;
	struct bpf_programs *programs;
	int state;
	uint64_t lost;
	int64_t clock;
};

/**
 * follow_open() - load the program, and watch this network namespace from now on
 * @follow: has @fn and @arg; the caller closes its programs
 *
 * Needs SMC in the kernel, and Linux 5.17. Return: 0, -errno with @err.
 */
int follow_open(struct follow *follow, struct smc_err *err);

/** follow_read() - pass on events and losses. Return: 0, -errno with @err, @fn's */
int follow_read(struct follow *follow, struct smc_err *err);

/**
 * follow_moved() - bytes of one direction
 * @is_whole: it was followed from the start
 *
 * The cursor is exact modulo whole wraps, and the count selects the wrap: so bytes read with
 * MSG_PEEK do not matter.
 */
struct event_moved follow_moved(const struct smclife_moved *moved, bool is_whole);

/**
 * follow_event() - convert a record; @clock: CLOCK_REALTIME minus CLOCK_MONOTONIC
 *
 * Return: 0, -ENOENT if there is nothing to show.
 */
int follow_event(struct event *event, const struct smclife_event *record, int64_t clock);

/* ---- owners of connections accepted by a kernel worker: the processes that listen there ---- */

/**
 * struct listeners - known listeners; zero-initialize
 * @at: time of the scan, 0: never; @is_stale: a listener was closed: scan again
 */
struct listeners {
	struct listener *entries;
	size_t count;
	struct sockets_lookup lookup;
	int64_t at;
	bool is_stale;
	struct smc_err *err;
};

/**
 * listeners_find() - fill in the listener at a connection's local end: owner and first process
 *
 * Return: 0, even if there is none; -errno with @err.
 */
int listeners_find(struct listeners *listeners, struct event *event, struct smc_err *err);
