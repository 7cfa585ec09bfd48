// SPDX-License-Identifier: MIT
/* -C --tune: which size is best, and how to keep it. */
#include "smc_chk/live/tune_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A size whose median is so near that of the best one is as good, if nothing shows the opposite. */
#define NEARLY 1.1

/* ---- judging ---- */

/* As little as one can tell. Of the first row that is enough: what changes it has to be shown. */
static bool is_as_good(const struct tune_table *table, int i)
{
	const struct numbers *behind = &table->rows[i].behind;

	return behind->has_interval && behind->low <= 1 && (!i || behind->ratio <= NEARLY);
}

int tune_judge(struct tune_table *table)
{
	const int middle = TUNE_ROUNDS / 2;

	table->best = 0;
	for (int i = 0; i < table->count; i++) {
		struct tune_row *row = &table->rows[i];

		memcpy(row->sorted, row->values, sizeof(row->sorted));
		numbers_median(row->sorted, TUNE_ROUNDS);
		if (row->sorted[middle] > table->rows[table->best].sorted[middle])
			table->best = i;
	}
	for (int i = 0; i < table->count; i++) {
		struct tune_row *row = &table->rows[i];

		if (numbers_compare(&row->behind, row->values, table->rows[table->best].values,
				    TUNE_ROUNDS, true))
			return -ENOMEM;
	}
	/* More memory than the best one takes is never recommended. */
	for (table->enough = 0; table->enough < table->best; table->enough++)
		if (is_as_good(table, table->enough))
			break;
	return 0;
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

static void put_size(struct out_text *text, uint32_t bytes)
{
	if (!bytes)
		out_printf(text, " %9s", "-");
	else if (bytes >= 1024)
		out_printf(text, " %5" PRIu32 " KiB", bytes / 1024);
	else
		out_printf(text, " %7" PRIu32 " B", bytes);
}

/* The values of a row, and the end of its line. */
static void put_values(struct out_text *text, const struct tune *tune,
		       const struct tune_table *table, int i)
{
	const double *sorted = table->rows[i].sorted;
	const double unit = tune->req->shape == CHK_SHAPE_BULK ? 1e6 : 1;

	out_printf(text, " %10.2f %10.2f %10.2f", sorted[TUNE_ROUNDS / 2] / unit, sorted[0] / unit,
		   sorted[TUNE_ROUNDS - 1] / unit);
	out_str(text, i == table->enough ? "  <- enough" : i == table->best ? "  best" : "");
	out_char(text, '\n');
}

static const char *unit_name(const struct tune *tune)
{
	return tune->req->shape == CHK_SHAPE_BULK ? "MB/s" : "1/s";
}

static void put_row(struct out_text *text, const struct tune *tune, int i)
{
	const struct tune_row *size = &tune->sizes.rows[i];

	if (size->asked)
		put_size(text, (uint32_t)size->asked);
	else
		out_printf(text, " %9s", "usual");
	put_size(text, size->send);
	put_size(text, size->receive);
	put_size(text, size->server);
	put_values(text, tune, &tune->sizes, i);
}

static void put_lines(struct out_text *text, const struct tune *tune)
{
	const int size = tune->sizes.rows[tune->sizes.enough].asked;

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

/* ---- the kernel's knobs ---- */

static void put_knob(struct out_text *text, const struct tune *tune, int i)
{
	const struct tune_row *row = &tune->kernel.rows[i];
	char what[64] = "as it is";

	if (row->knob)
		snprintf(what, sizeof(what), "%s = %lu", row->knob, row->value);
	out_printf(text, " %-29s", what);
	if (*row->why)
		out_printf(text, " not measured: %s\n", row->why);
	else
		put_values(text, tune, &tune->kernel, i);
}

static void put_kernel(struct out_text *text, const struct tune *tune)
{
	const struct tune_table *table = &tune->kernel;
	const struct tune_row *enough = &table->rows[table->enough];
	const struct numbers *gain = &table->rows[0].behind;

	if (!table->count)
		return;
	out_printf(text,
		   "\nKnobs of net.smc on this host, each with a link group of its own, and "
		   "the buffers\nthat are enough:\n %-29s %10s %10s %10s\n",
		   "", unit_name(tune), "least", "most");
	for (int i = 0; i < table->count; i++)
		put_knob(text, tune, i);
	if (!enough->knob) {
		out_str(text, "They are right as they are: nothing to change.\n");
		return;
	}
	if (gain->has_interval)
		out_printf(text,
			   "The best one gives %.2f times what they give as they are (95 %%: "
			   "%.2f-%.2f).\n",
			   gain->ratio, gain->low, gain->high);
	out_printf(text,
		   "For link groups to come, in a file of /etc/sysctl.d:\n"
		   "  net.smc.%s = %lu\n",
		   enough->knob, enough->value);
}

void tune_text(struct out_text *text, const struct tune *tune)
{
	char shape[32], peer[ENDPOINT_TEXT_SIZE];
	const struct numbers *gain = &tune->sizes.rows[0].behind;

	out_printf(text, "Shape %s, %s port %u, %s, medians of %d rounds\n",
		   shape_name(shape, tune->req), endpoint_text(peer, &tune->result.peer),
		   endpoint_port(&tune->result.peer), smc_mode_name(tune->result.mode),
		   TUNE_ROUNDS);
	out_printf(text, " %9s %9s %9s %9s %10s %10s %10s\n", "asked for", "send", "receive",
		   "server's", unit_name(tune), "least", "most");
	for (int i = 0; i < tune->sizes.count; i++)
		put_row(text, tune, i);
	if (!tune->has_server)
		out_str(text, "The server keeps its usual buffers: it knows no others, or its "
			      "other ports cannot be reached.\n");
	if (tune->limit < (unsigned long)PROTO_MAX_BUFFERS)
		out_printf(text,
			   "Larger ones were not tried: net.core.rmem_max and wmem_max end "
			   "at %lu.\n",
			   tune->limit);
	if (tune->sizes.enough != tune->sizes.best)
		out_str(text, "From there to the best one the differences are within the noise.\n");
	if (tune->sizes.enough && gain->has_interval)
		out_printf(text,
			   "The best one gives %.2f times what the usual ones give (95 %%: "
			   "%.2f-%.2f).\n",
			   gain->ratio, gain->low, gain->high);
	put_lines(text, tune);
	put_kernel(text, tune);
}

/* ---- JSON ---- */

static json_t *json_values(const struct tune_row *row)
{
	json_t *values = json_array();

	for (int i = 0; i < TUNE_ROUNDS; i++)
		out_json_push(&values, json_real(row->values[i]));
	return values;
}

static json_t *json_size(const struct tune_row *size)
{
	return json_pack("{s:i, s:o*, s:o*, s:o*, s:f, s:o}", "asked", size->asked, "send",
			 size->send ? json_integer(size->send) : NULL, "receive",
			 size->receive ? json_integer(size->receive) : NULL, "server_receive",
			 size->server ? json_integer(size->server) : NULL, "median",
			 size->sorted[TUNE_ROUNDS / 2], "values", json_values(size));
}

/* The first one has neither name nor value, as nothing is changed for it. */
static json_t *json_knob(const struct tune_row *row)
{
	json_t *value = row->knob ? json_integer((json_int_t)row->value) : NULL;

	if (*row->why)
		return json_pack("{s:s*, s:o*, s:s}", "knob", row->knob, "value", value,
				 "not_measured", row->why);
	return json_pack("{s:s*, s:o*, s:f, s:o}", "knob", row->knob, "value", value, "median",
			 row->sorted[TUNE_ROUNDS / 2], "values", json_values(row));
}

/* Places are those in the list. */
static json_t *json_kernel(const struct tune_table *table)
{
	json_t *knobs = json_array();

	for (int i = 0; i < table->count; i++)
		out_json_push(&knobs, json_knob(&table->rows[i]));
	return json_pack("{s:i, s:i, s:o}", "best", table->best, "enough", table->enough, "knobs",
			 knobs);
}

json_t *tune_json(const struct tune *tune)
{
	const struct tune_table *table = &tune->sizes;
	json_t *sizes = json_array();
	char shape[32];

	for (int i = 0; i < table->count; i++)
		out_json_push(&sizes, json_size(&table->rows[i]));
	return json_pack("{s:s, s:o, s:s, s:s, s:s, s:b, s:i, s:i, s:b, s:o, s:o*}", "schema",
			 "smc-tools/check-tune/1", "host", out_json_str(tune->req->host), "mode",
			 smc_mode_name(tune->result.mode), "shape", shape_name(shape, tune->req),
			 "unit", tune->req->shape == CHK_SHAPE_BULK ? "bytes/s" : "1/s",
			 "server_follows", tune->has_server, "best", table->rows[table->best].asked,
			 "enough", table->rows[table->enough].asked, "within_noise",
			 table->enough != table->best, "sizes", sizes, "kernel",
			 tune->kernel.count ? json_kernel(&tune->kernel) : NULL);
}
