/* SPDX-License-Identifier: MIT */
/* Watches the TCP connections of this network namespace for a while, by what is allowed. */
#pragma once

#include "base/err.h"
#include "smc_chk/advise/tally.h"
#include "smc_chk/smc_chk.h"

/**
 * struct watched - how it went
 * @has_bpf: an eBPF program saw each connection begin and end; else there were lists only, and
 *	@why_not has the reason
 * @duration: how long it took, in ms
 * @interval: longest time between two lists, in ms
 * @is_lossy: there were more ends than could be read
 * @is_blind: other users' processes could not be seen
 */
struct watched {
	char why_not[512];
	uint64_t duration, interval;
	bool has_bpf, is_lossy, is_blind;
};

/**
 * watch() - fill a tally that was started, until the time is over, or SIGINT or SIGTERM comes
 *
 * Return: 0, -errno with @err.
 */
int watch(struct tally *tally, struct watched *watched, const struct chk_request *req,
	  struct smc_err *err);
