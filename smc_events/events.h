/* SPDX-License-Identifier: MIT */
/* Events as they happen. */
#pragma once

#include "base/err.h"
#include "smc/filter.h"

/** struct events_opts - the command line, read */
struct events_opts {
	bool only_smcd;
	bool only_smcr;
	bool is_json;
	bool is_explained;
	uint64_t max_events; /* 0: no end */
	const char *netns;
	struct filter filter;
};

/** events_run() - until --count of them, or a signal. Return: 0, -errno with @err */
int events_run(const struct events_opts *opts, struct smc_err *err);
