/* SPDX-License-Identifier: MIT */
/* What is asked for on the command line. */
#pragma once

#include "cli/cli.h"
#include "smc/filter.h"
#include "smc_dump/show.h"

/**
 * struct request - what is asked for
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
	bool is_list, is_text;
	struct show show;
};

extern const struct cli_tool dump_tool;
