// SPDX-License-Identifier: MIT
/* Columns that need two samples, and the choice of columns. */
#include "smc_top/top.h"

#include "out/units.h"

static void text_rate(struct out_text *text, const void *value)
{
	const struct smc_speed *rate = value;
	char buf[OUT_UNITS];

	if (rate->is_least)
		out_char(text, '>');
	out_str(text, out_si(buf, rate->bytes));
}

/* A lower bound is not a rate: it has its own key. */
static json_t *json_rate(const void *value)
{
	const struct smc_speed *rate = value;

	return rate->is_least ? NULL : out_json_number(rate->bytes);
}

static json_t *json_least(const void *value)
{
	const struct smc_speed *rate = value;

	return rate->is_least ? out_json_number(rate->bytes) : NULL;
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
