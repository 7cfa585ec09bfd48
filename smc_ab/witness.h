/* SPDX-License-Identifier: MIT */
/* Did the processes of a run use SMC? */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/** struct sockets - how many ran over each; @tcp: SMC sockets that fell back */
struct sockets {
	uint64_t smcd, smcr, tcp;
};

/**
 * struct sightings - what was seen of a run
 * @sockets: of its processes
 * @counted: what the kernel's statistics count meanwhile, of all programs of the network namespace:
 *	ends of connections, and those that fell back
 * @has_counters: are these known?
 * @reason, @peer_reason: of the first fallback, 0 if unknown
 */
struct sightings {
	struct sockets sockets, counted;
	bool has_counters;
	uint32_t reason, peer_reason;
};

struct witness;

/** witness_start() - watch all that this process has started */
struct witness *witness_start(void);

/** witness_end() - and free it */
void witness_end(struct witness *witness, struct sightings *seen);

/** witness_listens() - does a process or one that it started listen? 1, 0, -errno with @err */
int witness_listens(pid_t pid, struct smc_err *err);
