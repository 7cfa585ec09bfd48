// SPDX-License-Identifier: MIT
#include "smc_chk/live/tune_report.h"

#include "out/list.h"

/* A size counts as good if its median is this near the best, unless the data shows a difference. */
#define NEARLY 1.1

/* ---- judging ---- */

/* No measurable difference is enough for the default size: a change needs evidence. */
static bool is_as_good(const struct tune *tune, int i)
{
	const struct numbers *behind = &tune->sizes[i].behind;

	return behind->has_interval && behind->low <= 1 && (!i || behind->ratio <= NEARLY);
}

void tune_judge(struct tune *tune)
{
	const int middle = TUNE_ROUNDS / 2;

	tune->best = 0;
	for (int i = 0; i < tune->count; i++) {
		struct tune_size *size = &tune->sizes[i];

		memcpy(size->sorted, size->values, sizeof(size->sorted));
		numbers_median(size->sorted, TUNE_ROUNDS);
		if (size->sorted[middle] > tune->sizes[tune->best].sorted[middle])
			tune->best = i;
	}
	for (int i = 0; i < tune->count; i++) {
		struct tune_size *size = &tune->sizes[i];

		numbers_compare(&size->behind, size->values, tune->sizes[tune->best].values,
				TUNE_ROUNDS, true);
	}
	/* Never recommend more memory than the best size takes. */
	for (tune->enough = 0; tune->enough < tune->best; tune->enough++)
		if (is_as_good(tune, tune->enough))
			break;
}

static const char *shape_name(char text[32], const struct chk_request *req)
{
	if (req->shape == CHK_SHAPE_RPC)
		snprintf(text, 32, "rpc:%d", req->rpc_bytes);
	else
		strcpy(text, req->shape == CHK_SHAPE_CONNECTIONS ? "connections" : "bulk");
	return text;
}

/* ---- text ---- */

/** struct tune_row - a size; @unit: of its values */
struct tune_row {
	const struct tune_size *size;
	double unit;
	const char *mark;
};

static const struct tune_row *row_of(const void *row)
{
	return row;
}

static void append_size(struct out_text *text, uint32_t bytes)
{
	if (bytes)
		out_printf(text, bytes >= 1024 ? "%" PRIu32 " KiB" : "%" PRIu32 " B",
			   bytes >= 1024 ? bytes / 1024 : bytes);
}

static void text_asked(struct out_text *text, const void *row)
{
	const int asked = row_of(row)->size->asked;

	if (asked)
		append_size(text, (uint32_t)asked);
	else
		out_str(text, "usual");
}

static void text_send(struct out_text *text, const void *row)
{
	append_size(text, row_of(row)->size->send);
}

static void text_receive(struct out_text *text, const void *row)
{
	append_size(text, row_of(row)->size->receive);
}

static void text_server(struct out_text *text, const void *row)
{
	append_size(text, row_of(row)->size->server);
}

static void append_value(struct out_text *text, const struct tune_row *row, int place)
{
	out_printf(text, "%.2f", row->size->sorted[place] / row->unit);
}

static void text_median(struct out_text *text, const void *row)
{
	append_value(text, row, TUNE_ROUNDS / 2);
}

static void text_least(struct out_text *text, const void *row)
{
	append_value(text, row, 0);
}

static void text_most(struct out_text *text, const void *row)
{
	append_value(text, row, TUNE_ROUNDS - 1);
}

static const struct out_col columns[] = {
	{ "asked", "asked for", NULL, 10, OUT_RIGHT, .text = text_asked },
	{ "send", "send", NULL, 9, OUT_RIGHT, .text = text_send, OUT_RANK(3) },
	{ "receive", "receive", NULL, 9, OUT_RIGHT, .text = text_receive, OUT_RANK(4) },
	{ "server", "server's", NULL, 9, OUT_RIGHT, .text = text_server, OUT_RANK(5) },
	{ "rate", "MB/s", NULL, 10, OUT_RIGHT, .text = text_median },
	{ "count", "1/s", NULL, 10, OUT_RIGHT, .text = text_median },
	{ "least", "least", NULL, 10, OUT_RIGHT, .text = text_least, OUT_RANK(1) },
	{ "most", "most", NULL, 10, OUT_RIGHT, OUT_GAP, .text = text_most, OUT_RANK(2) },
	{ "mark", "", NULL, 0, OUT_PTR(tune_row, mark) },
	{ 0 },
};

static void put_table(struct out_text *text, const struct tune *tune)
{
	const bool is_bulk = tune->req->shape == CHK_SHAPE_BULK;
	struct out_view view = { .count = 0 };
	struct out_list list;

	out_view_add(&view, columns, "asked,send,receive,server");
	out_view_add(&view, columns, is_bulk ? "rate" : "count");
	out_view_add(&view, columns, "least,most,mark");
	out_list_begin(&list, &view, text, tune->req->width, true);
	for (int i = 0; i < tune->count; i++) {
		struct tune_row row = { &tune->sizes[i], is_bulk ? 1e6 : 1, "" };

		if (i == tune->enough)
			row.mark = "<- enough";
		else if (i == tune->best)
			row.mark = "best";
		out_list_row(&list, &row);
	}
	out_list_end(&list);
}

static void put_lines(struct out_text *text, const struct tune *tune)
{
	const int size = tune->sizes[tune->enough].asked;

	if (!size) {
		out_str(text, "The usual buffers are enough: nothing to change.\n");
		return;
	}
	out_printf(text,
		   "For one program, here and at the server:\n"
		   "  smc_run -r %dK -t %dK COMMAND\n"
		   "For all, in a file of /etc/sysctl.d, for connections to come:\n"
		   "  net.smc.rmem = %d\n  net.smc.wmem = %d\n",
		   size / 1024, size / 1024, size, size);
	out_printf(text, "A connection takes up to %d KiB on each side.\n", 2 * size / 1024);
}

void tune_text(struct out_text *text, const struct tune *tune)
{
	char shape[32], peer[ENDPOINT_TEXT_SIZE];
	const struct numbers *gain = &tune->sizes[0].behind;

	out_printf(text, "Shape %s, %s port %u, %s, medians of %d rounds\n",
		   shape_name(shape, tune->req), endpoint_text(peer, &tune->result.peer),
		   endpoint_port(&tune->result.peer), smc_mode_name(tune->result.mode),
		   TUNE_ROUNDS);
	put_table(text, tune);
	if (!tune->has_server)
		out_str(text, "The server keeps its usual buffers: it knows no others, or its "
			      "other ports cannot be reached.\n");
	if (tune->limit < (unsigned long)PROTO_MAX_BUFFERS)
		out_printf(text,
			   "Larger ones were not tried: net.core.rmem_max and wmem_max end "
			   "at %lu.\n",
			   tune->limit);
	if (tune->enough != tune->best)
		out_str(text,
			"Differences between that size and the best one are within the noise.\n");
	if (tune->enough && gain->has_interval)
		out_printf(text,
			   "The best size is %.2f times as fast as the usual one (95 %%: "
			   "%.2f-%.2f).\n",
			   gain->ratio, gain->low, gain->high);
	put_lines(text, tune);
}

/* ---- JSON ---- */

json_t *tune_json_values(const double values[TUNE_ROUNDS])
{
	json_t *array = json_array();

	for (int i = 0; i < TUNE_ROUNDS; i++)
		json_array_append_new(array, json_real(values[i]));
	return array;
}

static json_t *json_size(const struct tune_size *size)
{
	return json_pack("{s:i, s:o*, s:o*, s:o*, s:f, s:o}", "asked", size->asked, "send",
			 size->send ? json_integer(size->send) : NULL, "receive",
			 size->receive ? json_integer(size->receive) : NULL, "server_receive",
			 size->server ? json_integer(size->server) : NULL, "median",
			 size->sorted[TUNE_ROUNDS / 2], "values", tune_json_values(size->values));
}

json_t *tune_json(const struct tune *tune)
{
	json_t *sizes = json_array();
	char shape[32];

	for (int i = 0; i < tune->count; i++)
		json_array_append_new(sizes, json_size(&tune->sizes[i]));
	return json_pack("{s:s, s:o, s:s, s:s, s:s, s:b, s:i, s:i, s:b, s:o}", "schema",
			 "smc-tools/check-tune/1", "host", out_json_str(tune->req->object), "mode",
			 smc_mode_name(tune->result.mode), "shape", shape_name(shape, tune->req),
			 "unit", tune->req->shape == CHK_SHAPE_BULK ? "bytes/s" : "1/s",
			 "server_follows", tune->has_server, "best", tune->sizes[tune->best].asked,
			 "enough", tune->sizes[tune->enough].asked, "within_noise",
			 tune->enough != tune->best, "sizes", sizes);
}
