/* SPDX-License-Identifier: MIT */
/* Source of events: the eBPF program that follows SMC sockets. */
#pragma once

#include "smc_events/event.h"
#include "bpf/programs.h"
#include "bpf/smclife.h"

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
