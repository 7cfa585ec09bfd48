/* SPDX-License-Identifier: MIT */
/* Owners of connections accepted by a kernel worker: the processes that listen there. */
#pragma once

#include "base/err.h"
#include "smc_events/event.h"
#include "sockets/lookup.h"

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
 * Return: 0, also if there is none; -errno with @err.
 */
int listeners_find(struct listeners *listeners, struct event *event, struct smc_err *err);
