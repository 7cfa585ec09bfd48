/* SPDX-License-Identifier: MIT */
/* Check that the processes of a run used SMC. */
#pragma once

#include "base/err.h"

/** struct sockets - number of sockets by transport; @tcp: SMC sockets that fell back */
struct sockets {
	uint64_t smcd, smcr, tcp;
};

/**
 * struct sightings - observations of a run
 * @sockets: of its processes
 * @counted: change of the kernel's statistics during the run: closed connections, and those that
 *	fell back, of all programs in the network namespace
 * @has_counters: @counted is known
 * @reason, @peer_reason: of the first fallback, 0 if unknown
 */
struct sightings {
	struct sockets sockets, counted;
	bool has_counters;
	uint32_t reason, peer_reason;
};

struct witness;

/** witness_start() - watch all descendants of this process */
struct witness *witness_start(void);

/** witness_end() - stop and free it */
void witness_end(struct witness *witness, struct sightings *seen);

/** witness_listens() - 1 if a process or a descendant listens, else 0, -errno with @err */
int witness_listens(pid_t pid, struct smc_err *err);
