/* SPDX-License-Identifier: MIT */
/* Events of connections and links, as text and as JSON. Pure. */
#pragma once

#include <jansson.h>

#include "bpf/smclife.h"
#include "out/text.h"
#include "smc/sock.h"
#include "sockets/show.h"

enum event_kind {
	EVENT_START, /* the first one: from now on all is told */
	EVENT_CONNECTED,
	EVENT_FALLBACK,
	EVENT_CLOSED,
	EVENT_LINK_UP,
	EVENT_LINK_DOWN,
	EVENT_LOST,	/* some were lost */
	EVENT_UNLISTEN, /* not shown: somebody does not listen any more */
};

enum event_side { EVENT_UNKNOWN, EVENT_CLIENT, EVENT_SERVER };

/** struct event_process - @pid: 0: nobody was seen */
struct event_process {
	pid_t pid;
	char comm[16];
};

/** struct event_moved - @is_least: more may have gone by unseen */
struct event_moved {
	uint64_t bytes;
	bool is_least;
};

/**
 * struct event - what happened
 * @at: nanoseconds since 1970
 * @sock: addresses, mode, reason and owner of a connection; its mode is 0xff if it is not known
 * @handshake, @lived: nanoseconds, -1: not known
 * @in, @out: if @has_bytes
 * @lgr: of a connection over SMC-R, 0: not known
 * @lost: of EVENT_LOST: how many
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

/** typedef event_fn - takes what happened. Return: 0, -errno */
typedef int (*event_fn)(void *arg, struct event *event);

/** event_is_link() - is it about a link? */
bool event_is_link(const struct event *event);

/** event_text() - append one line, in local time */
void event_text(struct out_text *text, const struct event *event);

/** event_remedies() - append what a fallback means, and what to type */
void event_remedies(struct out_text *text, const struct event *event);

/**
 * event_remedies_read() - the same for a terminal of @width columns
 * @known: the reasons that were explained before; those are not explained again
 */
void event_remedies_read(struct out_text *text, const struct event *event, size_t width,
			 struct sockets_codes *known);

/** event_json() - the same as an object; @explained: with what to type */
json_t *event_json(const struct event *event, bool explained);

/** event_duration() - append "1.9 ms", "12.3 s", "4 min 12 s", "3 h 4 min", "2 d 3 h" */
void event_duration(struct out_text *text, int64_t ns);
