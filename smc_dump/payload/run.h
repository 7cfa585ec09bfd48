/* SPDX-License-Identifier: MIT */
/* Captures the payload of SMC connections. */
#pragma once

#include <signal.h>

#include "base/err.h"
#include "smc_dump/output.h"
#include "smc_dump/payload/conversation.h"
#include "smc_dump/payload/print.h"

/**
 * struct payload_request - what is asked for
 * @print: how, if nothing is written
 * @output: where packets go; its descriptor is -1 for none
 * @count: end after so many pieces, 0: do not
 * @stopped: becomes true when it is to end
 */
struct payload_request {
	struct wish wish;
	struct print print;
	struct output *output;
	uint32_t snaplen;
	uint64_t count;
	const volatile sig_atomic_t *stopped;
};

/** struct payload_result - how many pieces of how many conversations; what is missing */
struct payload_result {
	uint64_t told, conversations, lost, lost_bytes, unread;
};

struct payload_capture;

/**
 * payload_open() - from now on payload is captured
 *
 * Needs rights; what comes after it none, and no files. Return: 0, -errno with @err.
 */
int payload_open(struct payload_capture **capture, const struct payload_request *request,
		 struct smc_err *err);

/** payload_run() - tell all that comes until it is to end. Return: 0, -errno with @err */
int payload_run(struct payload_capture *capture, struct payload_result *result,
		struct smc_err *err);

/** payload_close() - NULL is allowed */
void payload_close(struct payload_capture *capture);
