/* SPDX-License-Identifier: MIT */
/* Watches the TCP connections of this network namespace for a while, by what is allowed. */
#pragma once

#include "base/err.h"
#include "smc_chk/advise/tally.h"
#include "smc_chk/smc_chk.h"

/** enum watch_source - what told of connections, best last */
enum watch_source {
	SOURCE_POLL, /* lists of sockets only */
	SOURCE_ENDS, /* also a message at the end of each */
	SOURCE_BPF,  /* an eBPF program that sees each begin and end */
};

/**
 * struct watched - how it went
 * @why_not: why no better source was used, empty for no reason
 * @duration: how long it took, in ms
 * @interval: longest time between two lists, in ms
 * @is_lossy: there were more ends than could be read
 * @is_blind: other users' processes could not be seen
 */
struct watched {
	enum watch_source source;
	char why_not[512];
	uint64_t duration, interval;
	bool is_lossy, is_blind;
};

/**
 * watch() - fill a tally that was started, until the time is over, or SIGINT or SIGTERM comes
 *
 * Return: 0, -errno with @err.
 */
int watch(struct tally *tally, struct watched *watched, const struct chk_request *req,
	  struct smc_err *err);
