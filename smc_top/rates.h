/* SPDX-License-Identifier: MIT */
/* Samples of all SMC sockets, one after the other, and what each moved in between. */
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

struct rates;

/** rates_new() - without a sample */
struct rates *rates_new(void);

/** rates_selects() - is it a connection of the kind that the options ask for? */
bool rates_selects(const struct top_opts *opts, const struct smc_sock *sock);

/**
 * rates_take() - sample all sockets; addresses are complete for those of rates_selects()
 *
 * From the second time on the rows have rates: of a connection that is new, since the sample
 * before; of one that a few samples did not have, as the kernel's table changed, since it was last
 * seen.
 *
 * Return: 0, -errno with @err, and then the rows are gone, but not what they are compared with.
 */
int rates_take(struct rates *rates, const struct top_opts *opts, struct smc_err *err);

/** rates_count() - rows of the last sample, in the order of the kernel */
size_t rates_count(const struct rates *rates);

/** rates_row() - one of them; the holders are for the caller to fill in */
struct top_row *rates_row(struct rates *rates, size_t index);

/** rates_seconds() - between the last two samples, 0 before the second */
double rates_seconds(const struct rates *rates);

void rates_free(struct rates *rates);
