/* SPDX-License-Identifier: MIT */
/* Consecutive samples of all SMC sockets, and each socket's traffic between two samples. */
#pragma once

#include "smc_top/rate.h"
#include "smc/filter.h"
#include "smc/stats.h"
#include "sockets/columns.h"
#include "sockets/lookup.h"

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
	struct smc_sample sample;
};

/**
 * struct rates - the last sample; zero-initialize
 * @rows: in the order of the kernel, without holders
 * @known: by cookie, from that sample and earlier ones
 * @tcp: the TCP sockets of this network namespace, by their ends
 * @at: time of the last sample, 0 for none; @seconds: between the last two
 * @now: time of the kernel's first answer in the current sample, used for all rows so that seconds
 *	times rate gives exactly the bytes moved
 * @genl: for the kernel's sums; NULL: unavailable
 * @stats, @has_stats: as of the last sample
 */
struct rates {
	struct top_row *rows;
	struct known *known;
	struct smc_tcp *tcp;
	size_t count, n_known, n_tcp;
	struct sockets_lookup lookup;
	int64_t at, now;
	double seconds;
	struct smc_genl *genl;
	bool is_asked, has_stats;
	struct smc_stats stats;
	struct smc_err *err;
};

/** rates_selects() - true if the options select the connection */
bool rates_selects(const struct top_opts *opts, const struct smc_sock *sock);

/**
 * rates_take() - sample all sockets; completes the addresses of those selected by rates_selects()
 *
 * From the second call on, rows have rates since the previous sample, or, if the kernel's changing
 * table hid a connection from some samples, since it was last seen.
 * Return: 0, -errno with @err; then the rows are dropped, but not their baseline.
 */
int rates_take(struct rates *rates, const struct top_opts *opts, struct smc_err *err);

void rates_free(struct rates *rates);
