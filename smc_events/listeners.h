/* SPDX-License-Identifier: MIT */
/* Whose connections those are that the kernel's worker takes: who listens there. */
#pragma once

#include "base/err.h"
#include "event.h"
#include "sockets/lookup.h"

/**
 * struct listeners - those that are known; begin with all zero
 * @at: when they were read, 0: never
 * @is_stale: somebody does not listen any more: they have to be read again
 */
struct listeners {
	struct listener *entries;
	size_t count, size;
	struct sockets_lookup lookup;
	int64_t at;
	bool is_stale;
	struct smc_err *err;
};

/**
 * listeners_find() - note who listens at the local end of a connection: owner and first process
 *
 * Return: 0, also when nobody is found; -errno with @err.
 */
int listeners_find(struct listeners *listeners, struct event *event, struct smc_err *err);
