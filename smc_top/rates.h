/* SPDX-License-Identifier: MIT */
/* Consecutive samples of all SMC sockets, and the traffic of each between them. */
#pragma once

#include "rate.h"
#include "smc/filter.h"
#include "sockets/columns.h"

/* Order of rows. */
enum top_key { TOP_BY_RATE, TOP_BY_UNREAD, TOP_BY_UNSENT, TOP_BY_PROCESS, TOP_KEYS };

/** struct top_opts - parsed options */
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

/** struct top_row - a socket and its rate */
struct top_row {
	struct sockets_row base;
	struct smc_rate rate;
};

struct rates;

/** rates_new() - create one without a sample */
struct rates *rates_new(void);

/** rates_selects() - do the options select the connection? */
bool rates_selects(const struct top_opts *opts, const struct smc_sock *sock);

/**
 * rates_take() - sample all sockets; completes the addresses of those selected by rates_selects()
 *
 * From the second call on the rows have rates: for a new connection since the previous sample; for
 * one that some samples missed, as the kernel's table changed, since it was last seen.
 *
 * Return: 0, -errno with @err; then the rows are dropped, but not their baseline.
 */
int rates_take(struct rates *rates, const struct top_opts *opts, struct smc_err *err);

/** rates_count() - number of rows in the last sample, in the order of the kernel */
size_t rates_count(const struct rates *rates);

/** rates_row() - get a row; the caller fills in the holders */
struct top_row *rates_row(struct rates *rates, size_t index);

/** rates_seconds() - time between the last two samples, 0 before the second */
double rates_seconds(const struct rates *rates);

void rates_free(struct rates *rates);
