/* SPDX-License-Identifier: MIT */
/* Whose connections those are that the kernel's worker takes: who listens there. */
#pragma once

#include "base/err.h"
#include "event.h"

struct listeners;

/** listeners_new() - none are known yet */
struct listeners *listeners_new(void);

/** listeners_stale() - somebody does not listen any more: what is known has to be read again */
void listeners_stale(struct listeners *listeners);

/**
 * listeners_find() - who listens at the local end of a connection: owner and first process
 *
 * Reads all listening sockets and processes again when it does not know, but not all the time.
 *
 * Return: 0, also when nobody is found; -errno with @err.
 */
int listeners_find(struct listeners *listeners, struct event *event, struct smc_err *err);

void listeners_free(struct listeners *listeners);
