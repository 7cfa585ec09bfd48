/* SPDX-License-Identifier: MIT */
/* What is asked for on the command line. */
#pragma once

#include "cli/cli.h"
#include "smc/filter.h"
#include "smc_dump/show.h"

/* What libpcap takes for a packet of any size. */
#define CAPTURE_SNAPLEN 262144

/**
 * struct request - all of it
 * @filter: of packets; to be freed, NULL for none
 * @sockets: of payload, which is what is asked for with neither @read nor @interface
 * @process: name or number, NULL for all
 */
struct request {
	const char *read, *interface, *write, *process;
	char *filter;
	struct filter sockets;
	uint64_t count;
	int snaplen;
	struct show show;
};

extern const struct cli_tool dump_tool;

/** capture_run() - handshakes, or packets into a file. Return: 0, -errno with @err */
int capture_run(const struct request *request, struct smc_err *err);

/** payload_run() - payload, shown or into a file. Return: 0, -errno with @err */
int payload_run(const struct request *request, struct smc_err *err);
