/* SPDX-License-Identifier: MIT */
/* Events of connections and links, as text and as JSON. Pure. */
#pragma once

#include <jansson.h>

#include "bpf/smclife.h"
#include "out/text.h"
#include "smc/sock.h"
#include "sockets/show.h"

enum event_kind {
	EVENT_START, /* first event: complete from here on */
	EVENT_CONNECTED,
	EVENT_FALLBACK,
	EVENT_CLOSED,
	EVENT_LINK_UP,
	EVENT_LINK_DOWN,
	EVENT_LOST,	/* some events were lost */
	EVENT_UNLISTEN, /* not shown: a listener was closed */
};

enum event_side { EVENT_UNKNOWN, EVENT_CLIENT, EVENT_SERVER };

/** struct event_process - @pid: 0: not seen */
struct event_process {
	pid_t pid;
	char comm[16];
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
	enum event_side side;
	int64_t handshake, lived;
	bool has_bytes;
	struct event_moved in, out;
	uint32_t lgr;
	struct event_process process;
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
 * event_remedies_read() - append explained reasons with remedies, for a terminal of this @width
 * @known: reasons explained before, which are not repeated
 */
void event_remedies_read(struct out_text *text, const struct event *event, size_t width,
			 struct sockets_codes *known);

/** event_json() - the event as an object; @explained: with commands that may help */
json_t *event_json(const struct event *event, bool explained);

/** event_duration() - append "1.9 ms", "12.3 s", "4 min 12 s", "3 h 4 min", "2 d 3 h" */
void event_duration(struct out_text *text, int64_t ns);
