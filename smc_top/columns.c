// SPDX-License-Identifier: MIT
/* The columns that take two samples, and those that are shown. */
#include "top.h"

#include "out/units.h"

void top_append_rate(struct out_text *text, uint64_t bytes, bool is_least)
{
	char buf[OUT_UNITS];

	if (is_least)
		out_char(text, '>');
	out_str(text, out_si(buf, bytes));
}

static void text_rate_in(struct out_text *text, const void *value)
{
	const struct smc_rate *rate = value;

	top_append_rate(text, rate->in, rate->in_is_least);
}

static void text_rate_out(struct out_text *text, const void *value)
{
	const struct smc_rate *rate = value;

	top_append_rate(text, rate->out, rate->out_is_least);
}

/* A lower bound is no rate: it has a key of its own. */
static json_t *json_rate_in(const void *value)
{
	const struct smc_rate *rate = value;

	return rate->in_is_least ? NULL : out_json_number(rate->in);
}

static json_t *json_rate_out(const void *value)
{
	const struct smc_rate *rate = value;

	return rate->out_is_least ? NULL : out_json_number(rate->out);
}

static json_t *json_least_in(const void *value)
{
	const struct smc_rate *rate = value;

	return rate->in_is_least ? out_json_number(rate->in) : NULL;
}

static json_t *json_least_out(const void *value)
{
	const struct smc_rate *rate = value;

	return rate->out_is_least ? out_json_number(rate->out) : NULL;
}

static unsigned int percent(uint32_t bytes, uint32_t size)
{
	return size ? (unsigned int)(((uint64_t)bytes * 100 + size / 2) / size) : 0;
}

static void text_fill(struct out_text *text, uint32_t bytes, uint32_t size)
{
	out_dec(text, percent(bytes, size), 0);
	out_str(text, " %");
}

static json_t *json_fill(uint32_t bytes, uint32_t size)
{
	return json_pack("{s:I, s:I, s:i}", "bytes", (json_int_t)bytes, "buffer", (json_int_t)size,
			 "percent", (int)percent(bytes, size));
}

static void text_unread(struct out_text *text, const void *value)
{
	const struct smc_rate *rate = value;

	text_fill(text, rate->unread, rate->rcvbuf);
}

static json_t *json_unread(const void *value)
{
	const struct smc_rate *rate = value;

	return json_fill(rate->unread, rate->rcvbuf);
}

static void text_unsent(struct out_text *text, const void *value)
{
	const struct smc_rate *rate = value;

	text_fill(text, rate->unsent, rate->sndbuf);
}

static json_t *json_unsent(const void *value)
{
	const struct smc_rate *rate = value;

	return json_fill(rate->unsent, rate->sndbuf);
}

static void text_brake(struct out_text *text, const void *value)
{
	const char *name = smc_brake_name(((const struct smc_rate *)value)->brake);

	out_str(text, name ? name : "");
}

static json_t *json_brake(const void *value)
{
	const char *name = smc_brake_name(((const struct smc_rate *)value)->brake);

	return name ? json_string(name) : NULL;
}

#define RATE OUT_ODD(top_row, rate), OUT_IF(top_row, rate.has, SMC_RATE_HAS_RATES)
#define FILL OUT_ODD(top_row, rate), OUT_IF(top_row, rate.has, SMC_RATE_HAS_FILL)

const struct out_col top_columns[] = {
	{ "rate_in", "IN/s", "rate_in", 5, OUT_RIGHT, RATE, .text = text_rate_in,
	  .json = json_rate_in },
	{ NULL, NULL, "rate_in_least", 0, RATE, .json = json_least_in },
	{ "rate_out", "OUT/s", "rate_out", 5, OUT_RIGHT, RATE, .text = text_rate_out,
	  .json = json_rate_out },
	{ NULL, NULL, "rate_out_least", 0, RATE, .json = json_least_out },
	{ "unread", "UNREAD", "unread", 6, OUT_RIGHT, FILL, .text = text_unread,
	  .json = json_unread },
	{ "unsent", "UNSENT", "unsent", 6, OUT_RIGHT, FILL, .text = text_unsent,
	  .json = json_unsent },
	{ "brake", "BRAKE", "brake", 17, FILL, .text = text_brake, .json = json_brake },
	{ .more = sockets_columns },
};

int top_view(struct out_view *view, const struct top_opts *opts, struct smc_err *err)
{
	static const char usual[] = "local,peer,mode,rate_in,rate_out,unread,unsent,brake,holder";

	*view = (struct out_view){ 0 };
	return sockets_choose(view, top_columns, opts->columns ? opts->columns : usual, err);
}
