/* SPDX-License-Identifier: MIT */
/* Shared by the parts of smc_top. */
#pragma once

#include "rate.h"
#include "smc/filter.h"
#include "sockets/columns.h"

/* The order of rows. */
enum top_key { TOP_BY_RATE, TOP_BY_UNREAD, TOP_BY_UNSENT, TOP_BY_PROCESS, TOP_KEYS };

/** struct top_opts - the command line, read */
struct top_opts {
	bool only_smcd;
	bool only_smcr;
	bool is_once;
	bool is_json;
	bool no_header;
	enum top_key sort;
	const char *columns;
	const char *netns;
	double watch_seconds; /* 0: every TOP_SECONDS on the screen, else once */
	struct filter filter;
};

/** struct top_row - a socket and how fast it is */
struct top_row {
	struct sockets_row base;
	struct smc_rate rate;
};
