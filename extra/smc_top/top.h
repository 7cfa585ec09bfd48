/* SPDX-License-Identifier: MIT */
/* The fastest connections first, once or repeatedly. */
#pragma once

#include "smc_top/rates.h"

#define TOP_SECONDS 1.0 /* interval of samples, unless --watch sets another */

extern const struct out_col top_columns[];

/** top_view() - the columns chosen by the options. Return: 0, -EINVAL with @err */
int top_view(struct out_view *view, const struct top_opts *opts, struct smc_err *err);

/** struct top_sums - totals of all shown rows */
struct top_sums {
	size_t counts[4]; /* by enum smc_mode */
	struct smc_speed in, out;
};

/** struct top_table - sorted rows of one sample; free @rows */
struct top_table {
	struct top_row **rows;
	size_t count;
	struct top_sums sums;
};

/** top_fill() - take the rows that @opts select, and sum them up */
void top_fill(struct top_table *table, struct rates *rates, const struct top_opts *opts);

/** top_sort() - sort by @sort, largest first; equal rows by rate, then by cookie */
void top_sort(struct top_table *table, enum top_key sort);

/* Words of --sort, by enum top_key, NULL-terminated. */
extern const char *const top_sort_names[TOP_KEYS + 1];

/** top_join() - fill in the holders of all rows */
void top_join(struct rates *rates, const struct proc_table *procs);

/** top_fit() - bytes of a line that fit into @width: whole items, with two blanks between them */
size_t top_fit(const char *line, size_t len, size_t width);

/**
 * top_head() - append the line above the table
 * @seconds: between the samples, 0 before the second
 * @width: of the terminal; the totals are right-aligned if they fit. 0: not aligned
 */
void top_head(struct out_text *text, const struct top_table *table, double seconds,
	      enum top_key sort, size_t width);

/** top_rows() - append a header and @count rows from @first on. Return: lines per row */
size_t top_rows(struct out_text *text, const struct top_table *table, const struct out_view *view,
		size_t first, size_t count, size_t width, bool has_header);

/** top_print() - print the next sample as a table or as JSON. Return: 0, -errno with @err */
int top_print(const struct top_opts *opts, struct rates *rates, struct smc_err *err);

/** top_run() - run the screen until a key, or a signal (to @signal), ends it. Return: 0, -errno */
int top_run(const struct top_opts *opts, struct rates *rates, int *signal, struct smc_err *err);
