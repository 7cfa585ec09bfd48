/* SPDX-License-Identifier: MIT */
/* Where --events has it from without eBPF: lists of all sockets, one after the other. */
#pragma once

#include "event.h"

/* Seconds between two lists. */
#define POLLED_PAUSE 0.5

/* What is not seen, a clause. */
#define POLLED_MISSING                                                                             \
	"connections that are over within half a second, times of handshakes and links are missing"

struct polled;

/**
 * polled_open() - read the first list, which what comes is compared with
 * @fn: called with @arg by polled_read()
 *
 * Return: 0, -errno with @err.
 */
int polled_open(struct polled **polled, event_fn fn, void *arg, struct smc_err *err);

/** polled_read() - hand over what has changed since. Return: 0, -errno with @err, @fn's own */
int polled_read(struct polled *polled, struct smc_err *err);

/** polled_close() - NULL is allowed */
void polled_close(struct polled *polled);
