/* SPDX-License-Identifier: MIT */
/* The command line's request. */
#pragma once

#include "cli/cli.h"
#include "smc/filter.h"
#include "smc_dump/show.h"

/* libpcap's snapshot length for packets of any size. */
#define CAPTURE_SNAPLEN 262144

/**
 * struct request - the whole request
 * @filter: of packets; to be freed, NULL for none
 * @sockets: capture payload, the default without @read and @interface
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

/** capture_run() - show handshakes, or save packets. Return: 0, -errno with @err */
int capture_run(const struct request *request, struct smc_err *err);

/** payload_run() - show or save payload. Return: 0, -errno with @err */
int payload_run(const struct request *request, struct smc_err *err);
