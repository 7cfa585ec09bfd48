/* SPDX-License-Identifier: MIT */
/* Where events come from: the eBPF program that follows SMC sockets. */
#pragma once

#include "event.h"
#include "bpf/programs.h"
#include "bpf/smclife.h"

/**
 * struct follow - @fn: called with @arg by follow_read()
 * @state: map; @lost: events without room that have been reported
 */
struct follow {
	event_fn fn;
	void *arg;
	struct bpf_programs *programs;
	int state;
	uint64_t lost;
	int64_t clock;
};

/**
 * follow_open() - load it, and have it watch this network namespace from now on
 * @follow: has @fn and @arg; its programs are the caller's to close
 *
 * Needs the kernel's SMC to be there, and Linux 5.17. Return: 0, -errno with @err.
 */
int follow_open(struct follow *follow, struct smc_err *err);

/** follow_read() - hand over what happened and was lost. Return: 0, -errno with @err, @fn's */
int follow_read(struct follow *follow, struct smc_err *err);

/**
 * follow_moved() - bytes of one direction
 * @is_whole: it was followed from the beginning
 *
 * A cursor says which of the numbers that are whole rounds apart is right, and what was counted
 * which round: bytes that were only looked at count for nothing.
 */
struct event_moved follow_moved(const struct smclife_moved *moved, bool is_whole);

/**
 * follow_event() - from a record; @clock: what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC
 *
 * Return: 0, -ENOENT for what is nothing to show.
 */
int follow_event(struct event *event, const struct smclife_event *told, int64_t clock);
