// SPDX-License-Identifier: MIT
/* Select and sort the connections; their columns; print them as text or JSON. */
#include "smc_top/top.h"

#include <sys/param.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/words.h"
#include "cli/screen.h"
#include "out/list.h"
#include "out/units.h"
#include "sockets/lookup.h"

const char *const top_sort_names[TOP_KEYS + 1] = { "rate", "unread", "unsent", "process", NULL };

/* ---- rows ---- */

static void sum_up(struct smc_speed *sum, const struct smc_speed *rate)
{
	sum->bytes += rate->bytes;
	sum->is_least |= rate->is_least;
}

void top_fill(struct top_table *table, struct rates *rates, const struct top_opts *opts)
{
	table->count = 0;
	table->sums = (struct top_sums){ .counts = { 0 } };
	for (size_t i = 0; i < rates->count; i++) {
		struct top_row *row = &rates->rows[i];

		if (!rates_selects(opts, &row->base.sock) ||
		    !filter_match(&opts->filter, &row->base.sock))
			continue;
		*smc_array_add(&table->rows, &table->count) = row;
		table->sums.counts[smc_sock_mode(&row->base.sock)]++;
		sum_up(&table->sums.in, &row->rate.in);
		sum_up(&table->sums.out, &row->rate.out);
	}
}

void top_join(struct rates *rates, const struct proc_table *procs)
{
	for (size_t i = 0; i < rates->count; i++) {
		struct sockets_row *row = &rates->rows[i].base;

		row->holders = proc_table_find(procs, row->sock.inode, &row->n_holders);
	}
}

static int compare_numbers(uint64_t x, uint64_t y)
{
	return (x < y) - (x > y);
}

static const struct top_row *row_at(const void *place)
{
	return *(const struct top_row *const *)place;
}

static int by_rate(const void *a, const void *b)
{
	const struct top_row *x = row_at(a), *y = row_at(b);
	int order = compare_numbers(x->rate.in.bytes + x->rate.out.bytes,
				    y->rate.in.bytes + y->rate.out.bytes);

	return order ? order : compare_numbers(y->base.sock.cookie, x->base.sock.cookie);
}

/* The fullest first, missing buffers last. */
static int compare_fills(const struct smc_fill *x, const struct smc_fill *y)
{
	if (!x->size || !y->size)
		return !x->size - !y->size;
	return compare_numbers((uint64_t)x->bytes * y->size, (uint64_t)y->bytes * x->size);
}

static int by_unread(const void *a, const void *b)
{
	int order = compare_fills(&row_at(a)->rate.unread, &row_at(b)->rate.unread);

	return order ? order : by_rate(a, b);
}

static int by_unsent(const void *a, const void *b)
{
	int order = compare_fills(&row_at(a)->rate.unsent, &row_at(b)->rate.unsent);

	return order ? order : by_rate(a, b);
}

/* Sort by name and number of the process; sockets without a visible holder come last. */
static int by_process(const void *a, const void *b)
{
	const struct sockets_row *x = &row_at(a)->base, *y = &row_at(b)->base;
	int order = !x->n_holders - !y->n_holders;

	if (x->n_holders && y->n_holders)
		order = strncmp(x->holders->comm, y->holders->comm, sizeof(x->holders->comm));
	if (!order && x->n_holders && x->holders->pid != y->holders->pid)
		order = x->holders->pid < y->holders->pid ? -1 : 1;
	return order ? order : by_rate(a, b);
}

void top_sort(struct top_table *table, enum top_key sort)
{
	static int (*const order[])(const void *, const void *) = { by_rate, by_unread, by_unsent,
								    by_process };

	smc_array_sort(table->rows, table->count, order[sort]);
}

/* ---- the columns ---- */

static void text_rate(struct out_text *text, const void *value)
{
	const struct smc_speed *rate = value;
	char buf[OUT_UNITS];

	if (rate->is_least)
		out_char(text, '>');
	out_str(text, out_si(buf, rate->bytes));
}

/* A lower bound is not a rate: it has its own key. */
static json_t *json_speed(const struct smc_speed *speed, bool is_least)
{
	return speed->is_least == is_least ? out_json_number(speed->bytes) : NULL;
}

static json_t *json_rate(const void *value)
{
	return json_speed(value, false);
}

static json_t *json_least(const void *value)
{
	return json_speed(value, true);
}

static unsigned int percent(const struct smc_fill *fill)
{
	return fill->size ?
		       (unsigned int)(((uint64_t)fill->bytes * 100 + fill->size / 2) / fill->size) :
		       0;
}

static void text_fill(struct out_text *text, const void *value)
{
	out_dec(text, percent(value), 0);
	out_str(text, " %");
}

/* On a terminal, hide empty buffers. */
static void read_fill(struct out_text *text, const void *value)
{
	if (percent(value))
		out_printf(text, "%u%%", percent(value));
}

static json_t *json_fill(const void *value)
{
	const struct smc_fill *fill = value;

	return json_pack("{s:I, s:I, s:i}", "bytes", (json_int_t)fill->bytes, "buffer",
			 (json_int_t)fill->size, "percent", (int)percent(fill));
}

#define BOTTLENECK(name, words) [SMC_BOTTLENECK_##name] = { words, words }
static const struct out_names bottlenecks =
	OUT_NAMES(NULL, NULL, BOTTLENECK(READER, "this reader"),
		  BOTTLENECK(PEER_READER, "the peer's reader"), BOTTLENECK(LINK, "the link"),
		  BOTTLENECK(WRITER, "this writer"), BOTTLENECK(PEER_WRITER, "the peer's writer"));

/* For the narrow column on a terminal. */
static void read_bottleneck(struct out_text *text, const void *value)
{
	static const char *const words[] = {
		[SMC_BOTTLENECK_READER] = "we read",
		[SMC_BOTTLENECK_PEER_READER] = "peer reads",
		[SMC_BOTTLENECK_LINK] = "link",
		[SMC_BOTTLENECK_WRITER] = "we write",
		[SMC_BOTTLENECK_PEER_WRITER] = "peer writes",
	};

	out_str(text, words[*(const enum smc_bottleneck *)value]);
}

#define RATE(member) OUT_ODD(top_row, rate.member), OUT_IF(top_row, rate.has, SMC_RATE_HAS_RATES)
#define FILL(member) OUT_ODD(top_row, rate.member), OUT_IF(top_row, rate.has, SMC_RATE_HAS_FILL)

const struct out_col top_columns[] = {
	{ "rate_in", "IN/s", "rate_in", 5, OUT_RIGHT, RATE(in), .text = text_rate,
	  .json = json_rate },
	{ NULL, NULL, "rate_in_least", 0, RATE(in), .json = json_least },
	{ "rate_out", "OUT/s", "rate_out", 5, OUT_RIGHT, RATE(out), .text = text_rate,
	  .json = json_rate },
	{ NULL, NULL, "rate_out_least", 0, RATE(out), .json = json_least },
	{ "unread", "UNREAD", "unread", 6, OUT_RIGHT, FILL(unread), .text = text_fill,
	  .json = json_fill, .read = read_fill, OUT_RANK(3) },
	{ "unsent", "UNSENT", "unsent", 6, OUT_RIGHT, FILL(unsent), .text = text_fill,
	  .json = json_fill, .read = read_fill, OUT_RANK(4) },
	{ "bottleneck", "BOTTLENECK", "bottleneck", 17,
	  OUT_NAME(top_row, rate.bottleneck, bottlenecks), OUT_OPTIONAL,
	  OUT_IF(top_row, rate.has, SMC_RATE_HAS_FILL), .read = read_bottleneck },
	{ .more = sockets_columns },
};

int top_view(struct out_view *view, const struct top_opts *opts, struct smc_err *err)
{
	static const char usual[] =
		"local,peer,mode,rate_in,rate_out,unread,unsent,bottleneck,holder";
	int ret;

	*view = (struct out_view){ .is_chosen = opts->columns };
	ret = sockets_choose(view, top_columns, opts->columns ? opts->columns : usual, err);
	out_view_rank(view, "local", 2);
	return ret;
}

/* Make these as wide as their cells; the others keep their widths, so that they do not move. */
static void fit(struct out_view *view, const struct top_table *table)
{
	struct out_text cell AUTO(out_free) = { .len = 0 };

	for (size_t i = 0; i < view->count; i++) {
		const struct out_col *col = view->cols[i];
		size_t width = strlen(col->head);

		if (!words_have("local peer mode", col->name))
			continue;
		for (size_t k = 0; k < table->count; k++, out_reset(&cell)) {
			out_cell(&cell, col, table->rows[k]);
			width = MAX(width, cell.len);
		}
		view->widths[i] = (uint8_t)MIN(width, UINT8_MAX);
	}
}

/* ---- the line above ---- */

static void append_sum(struct out_text *text, const char *name, const struct smc_speed *sum)
{
	char buf[OUT_UNITS];

	out_str(text, name);
	if (sum->is_least)
		out_char(text, '>');
	out_str(text, out_data(buf, sum->bytes));
	out_str(text, "/s");
}

size_t top_fit(const char *line, size_t len, size_t width)
{
	size_t at = width;

	if (len <= width)
		return len;
	while (at && (line[at - 1] == ' ' || at + 1 == len || memcmp(line + at, "  ", 2) != 0))
		at--;
	return at ? at : width;
}

void top_head(struct out_text *text, const struct top_table *table, double seconds,
	      enum top_key sort, size_t width)
{
	const struct top_sums *sums = &table->sums;
	size_t start = text->len, len;
	char right[64];

	out_printf(text, "SMC-D %zu  SMC-R %zu  TCP %zu      ", sums->counts[SMC_MODE_SMCD],
		   sums->counts[SMC_MODE_SMCR], sums->counts[SMC_MODE_TCP]);
	if (seconds > 0) {
		append_sum(text, "in ", &sums->in);
		append_sum(text, "  out ", &sums->out);
		snprintf(right, sizeof(right), width ? "over %.*f s, by %s" : "%.*f s, by %s",
			 seconds < 9.95 ? 1 : 0, seconds, top_sort_names[sort]);
	} else {
		snprintf(right, sizeof(right), "measuring, by %s", top_sort_names[sort]);
	}
	len = text->len - start;
	if (len + strlen(right) + 2 <= width || !width) {
		out_blanks(text, width ? width - len - strlen(right) : 2);
		out_str(text, right);
	} else {
		text->len = start + top_fit(text->data + start, len, width);
	}
}

size_t top_rows(struct out_text *text, const struct top_table *table, const struct out_view *view,
		size_t first, size_t count, size_t width, bool has_header)
{
	struct out_list list;

	out_list_begin(&list, view, text, width, has_header);
	list.head = OUT_PLAIN;
	list.keeps_empty = true;
	for (size_t i = first; i < first + count; i++)
		out_list_row(&list, table->rows[i]);
	out_list_end(&list);
	return list.lines ? list.lines : 1;
}

/* ---- once ---- */

static void append_document(struct out_text *text, const struct top_table *table,
			    const struct top_opts *opts, const struct out_view *view,
			    double seconds)
{
	const struct top_sums *sums = &table->sums;
	struct out_text sockets AUTO(out_free) = { .len = 0 };
	bool is_repeated = opts->watch_seconds > 0;
	json_t *json =
		json_pack("{s:s, s:f, s:{s:I, s:I, s:I}, s:o*, s:o*, s:o*, s:o*, s:[]}", "schema",
			  "smc-tools/top/1", "seconds", seconds, "connections", "smcr",
			  (json_int_t)sums->counts[SMC_MODE_SMCR], "smcd",
			  (json_int_t)sums->counts[SMC_MODE_SMCD], "tcp",
			  (json_int_t)sums->counts[SMC_MODE_TCP], "rate_in",
			  json_speed(&sums->in, false), "rate_in_least",
			  json_speed(&sums->in, true), "rate_out", json_speed(&sums->out, false),
			  "rate_out_least", json_speed(&sums->out, true), "sockets");

	for (size_t i = 0; i < table->count; i++)
		out_json_member(&sockets,
				out_json(top_columns, opts->columns ? view : NULL, table->rows[i]),
				is_repeated);
	out_json_long_document(text, json, &sockets, is_repeated);
}

static void append_table(struct out_text *text, const struct top_table *table,
			 const struct top_opts *opts, struct out_view *view, double seconds)
{
	size_t width = cli_columns();

	fit(view, table);
	if (!table->count && !opts->no_header)
		cli_none("smc_top: no SMC connection; 'smc_chk' checks this host");
	if (!opts->no_header) {
		top_head(text, table, seconds, opts->sort, width);
		out_char(text, '\n');
	}
	top_rows(text, table, view, 0, table->count, width, !opts->no_header);
}

/* Find holders only if needed: this costs more than reading the sockets. */
static int join(struct sockets_lookup *lookup, struct rates *rates, const struct top_opts *opts,
		struct smc_err *err)
{
	int ret;

	if (opts->columns && !sockets_need_processes(opts->columns) && opts->sort != TOP_BY_PROCESS)
		return 0;
	ret = sockets_load_processes(lookup, err);
	if (!ret)
		top_join(rates, &lookup->procs);
	return ret;
}

int top_print(const struct top_opts *opts, struct rates *rates, struct smc_err *err)
{
	struct sockets_lookup lookup AUTO(sockets_lookup_free) = { .has_procs = false };
	struct top_table table = { .count = 0 };
	struct out_text text AUTO(out_free) = { .len = 0 };
	struct out_view view;
	int ret = top_view(&view, opts, err) ?: rates_take(rates, opts, err);

	if (!ret)
		ret = join(&lookup, rates, opts, err);
	if (!ret) {
		top_fill(&table, rates, opts);
		top_sort(&table, opts->sort);
		if (opts->is_json)
			append_document(&text, &table, opts, &view, rates->seconds);
		else
			append_table(&text, &table, opts, &view, rates->seconds);
		ret = out_print(&text, err);
	}
	free(table.rows);
	return ret;
}
