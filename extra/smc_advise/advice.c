// SPDX-License-Identifier: MIT
#include "smc_advise/advice.h"

#include "base/array.h"
#include "base/words.h"
#include "out/list.h"
#include "out/units.h"
#include "smc/buffer_sizes.h"

/* Maximum number of rows as text; JSON has all. */
#define ROWS_MAX 40

static const struct out_names no_yes = OUT_NAMES(NULL, NULL, { "no", NULL }, { "yes", NULL });
static const struct out_names sides =
	OUT_NAMES(NULL, NULL, [SIDE_UNKNOWN] = { "-", NULL },
		  [SIDE_CLIENT] = { "client", "client" }, [SIDE_SERVER] = { "server", "server" });
static const struct out_names peers = OUT_NAMES(
	NULL, NULL, [PEERS_LOCAL] = { "local", "local" }, [PEERS_NEAR] = { "near", "near" },
	[PEERS_OTHER] = { "other", "other" }, [PEERS_INTERNET] = { "internet", "internet" });
static const struct out_names carriers = OUT_NAMES(
	NULL, NULL, [CARRIER_TCP] = { "TCP", "tcp" },
	[CARRIER_FALLBACK] = { "TCP, fell back", "fallback" },
	[CARRIER_SMC] = { "SMC already", "smc" }, [CARRIER_SMCR] = { "SMC-R already", "smcr" },
	[CARRIER_SMCD] = { "SMC-D already", "smcd" });
static const struct out_names classes = OUT_NAMES(
	NULL, NULL, [CLASS_UNKNOWN] = { "unknown", "unknown" },
	[CLASS_SHORT] = { "short-lived", "short-lived" }, [CLASS_QUIET] = { "quiet", "quiet" },
	[CLASS_SUITED] = { "well-suited", "well-suited" });

/* ---- columns ---- */

static bool has_bytes(const struct judge_row *row)
{
	enum tally_carrier carrier = row->group->carrier;

	return row->group->n_info && (carrier == CARRIER_TCP || carrier == CARRIER_FALLBACK);
}

static void text_life(struct out_text *text, const void *value)
{
	const struct judge_row *row = value;
	double seconds = (double)row->life / 1000;

	out_str(text, row->is_life_least ? ">" : "");
	if (seconds < 120)
		out_printf(text, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
	else if (seconds < 7200)
		out_printf(text, "%.0f min", seconds / 60);
	else
		out_printf(text, "%.0f h", seconds / 3600);
}

static void text_bytes(struct out_text *text, const void *value)
{
	char buf[OUT_UNITS];

	out_str(text, out_data(buf, *(const uint64_t *)value));
}

static void text_send(struct out_text *text, const void *value)
{
	const struct judge_row *row = value;
	char buf[OUT_UNITS];

	if (!has_bytes(row) || !row->send)
		return;
	if (row->is_bulk)
		out_str(text, "bulk");
	else
		out_str(text, out_size(buf, row->send));
}

static void text_would(struct out_text *text, const void *value)
{
	const struct judge_row *row = value;

	if (row->group->carrier != CARRIER_TCP)
		out_str(text, carriers.names[row->group->carrier].text);
	else if (!row->bar)
		out_str(text, row->use.text);
}

static const struct judge_row *row_of_advice(const void *advice)
{
	return (const void *)((const char *)advice - offsetof(struct judge_row, advice));
}

/* On a terminal commands are printed below the table, one per line. */
static void read_advice(struct out_text *text, const void *advice)
{
	const struct judge_row *row = row_of_advice(advice);

	out_str(text, row->profits ? "use SMC" : row->advice);
}

static enum out_style style_advice(const void *advice)
{
	return row_of_advice(advice)->profits ? OUT_GOOD : OUT_PLAIN;
}

static const void *group_of(const void *row)
{
	return ((const struct judge_row *)row)->group;
}

static const void *owner_of(const void *row)
{
	return ((const struct judge_row *)row)->owner;
}

static const void *use_of(const void *row)
{
	const struct judge_row *judged = row;

	return judged->group->carrier == CARRIER_TCP && !judged->bar && judged->use.is_possible ?
		       &judged->use :
		       NULL;
}

static const void *numbers_of(const void *row)
{
	return has_bytes(row) ? row : NULL;
}

static const void *sums_of(const void *row)
{
	return has_bytes(row) ? group_of(row) : NULL;
}

static const void *life_bound_of(const void *row)
{
	return ((const struct judge_row *)row)->is_life_least ? "at least" : "about";
}

static const struct out_col columns[] = {
	{ "process", "Process", "process", 8, .find = owner_of, .none = "(unknown)",
	  OUT_STR(tally_owner, comm), OUT_OPTIONAL },
	{ NULL, NULL, "unit", 0, .find = owner_of, OUT_STR(tally_owner, unit), OUT_OPTIONAL },
	{ NULL, NULL, "is_user_unit", 0, .find = owner_of, OUT_FLAG(tally_owner, is_user, no_yes),
	  OUT_OPTIONAL },
	{ "side", "Side", "side", 6, .find = group_of, OUT_NAME(tally_group, side, sides),
	  OUT_RANK(3) },
	{ "port", "Port", "port", 5, OUT_RIGHT, .find = group_of, OUT_DEC(tally_group, port, 0),
	  OUT_OPTIONAL },
	{ "peer", "Peer", "peer", 10, OUT_STR(judge_row, peer) },
	{ NULL, NULL, "peers", 0, .find = group_of, OUT_NAME(tally_group, peers, peers) },
	{ "conns", "Conns", "connections", 5, OUT_RIGHT, .find = group_of,
	  OUT_DEC(tally_group, conns, 0), OUT_RANK(2) },
	{ NULL, NULL, "open_peak", 0, .find = group_of, OUT_DEC(tally_group, open_peak, 0) },
	{ "life", "Life", NULL, 5, OUT_RIGHT, .text = text_life, OUT_RANK(4) },
	{ NULL, NULL, "life_ms", 0, OUT_DEC(judge_row, life, 0) },
	{ NULL, NULL, "life_is", 0, OUT_STR_OF(life_bound_of) },
	{ "bytes", "Bytes/conn", "bytes_per_connection", 10, OUT_RIGHT, .find = numbers_of,
	  .text = text_bytes, OUT_DEC(judge_row, bytes_per_conn, 0) },
	{ NULL, NULL, "bytes_sent", 0, .find = sums_of, OUT_DEC(tally_group, sent, 0) },
	{ NULL, NULL, "bytes_received", 0, .find = sums_of, OUT_DEC(tally_group, received, 0) },
	{ "send", "Send", NULL, 7, OUT_RIGHT, .text = text_send, OUT_RANK(5) },
	{ NULL, NULL, "send_bytes", 0, .find = numbers_of, OUT_DEC(judge_row, send, 0),
	  OUT_OPTIONAL },
	{ NULL, NULL, "is_bulk", 0, .find = numbers_of, OUT_FLAG(judge_row, is_bulk, no_yes) },
	{ NULL, NULL, "class", 0, .find = numbers_of, OUT_NAME(judge_row, class, classes) },
	{ NULL, NULL, "carrier", 0, .find = group_of, OUT_NAME(tally_group, carrier, carriers) },
	{ "would", "Would use", NULL, 9, .text = text_would, OUT_RANK(1) },
	{ NULL, NULL, "mode", 0, .group = "would_use", .find = use_of,
	  OUT_STR(smc_use, mode.name) },
	{ NULL, NULL, "version", 0, .group = "would_use", .find = use_of,
	  OUT_DEC(smc_use, mode.version, 0) },
	{ NULL, NULL, "is_loopback", 0, .group = "would_use", .find = use_of,
	  OUT_FLAG(smc_use, mode.is_loopback, no_yes) },
	{ NULL, NULL, "needs_eid", 0, .group = "would_use", .find = use_of,
	  OUT_FLAG(smc_use, mode.is_waiting, no_yes) },
	{ NULL, NULL, "why_not", 0, OUT_STR(judge_row, use.why_not), OUT_OPTIONAL },
	{ NULL, NULL, "not_carried", 0, OUT_PTR(judge_row, bar), OUT_OPTIONAL },
	{ NULL, NULL, "would_profit", 0, OUT_FLAG(judge_row, profits, no_yes) },
	{ NULL, NULL, "memory", 0, OUT_DEC(judge_row, memory, 0), OUT_OPTIONAL },
	/* The names in it are shell words, which must not be escaped again. */
	{ "advice", "Advice", "advice", 0, OUT_ESCAPED(judge_row, advice), .read = read_advice,
	  .style = style_advice, .is_wrapped = true },
	{ 0 },
};

/* ---- text ---- */

/* Each command once. */
static void append_commands(struct out_text *text, const struct judged *judged, size_t count)
{
	for (size_t i = 0, k; i < count; i++) {
		for (k = 0; strcmp(judged->rows[k].advice, judged->rows[i].advice);)
			k++;
		if (k == i && judged->rows[i].profits)
			out_printf(text, "-> %s\n", judged->rows[i].advice);
	}
}

static void append_table(struct out_text *text, const struct judged *judged, size_t width)
{
	size_t count = judged->count < ROWS_MAX ? judged->count : ROWS_MAX;
	struct out_view view = { 0 };
	struct out_list list;

	out_view_add(&view, columns, "process,side,port,peer,conns,life,bytes,send,would,advice");
	out_fit(&view, judged->rows, count, sizeof(*judged->rows));
	out_list_begin(&list, &view, text, width, true);
	for_each(row, judged->rows, count)
		out_list_row(&list, row);
	out_list_end(&list);
	if (width)
		append_commands(text, judged, count);
	if (count < judged->count)
		out_printf(text, "%zu more row%s, with fewer bytes: see --json.\n",
			   judged->count - count, plural_s(judged->count - count));
}

static void append_share(struct out_text *text, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	if (part && percent < 1)
		out_str(text, "less than 1 %");
	else
		out_printf(text, "%.0f %%", percent);
}

static void append_sum(struct out_text *text, const struct judge_sum *sum)
{
	char memory[OUT_UNITS], buffer[OUT_UNITS];

	if (!sum->suited_bytes) {
		out_str(text, sum->conns ? "Nothing would benefit from SMC.\n" :
					   "There were no plain TCP connections.\n");
		return;
	}
	append_share(text, sum->suited_bytes, sum->bytes);
	out_str(text, " of the bytes and ");
	append_share(text, sum->suited_conns, sum->conns);
	out_printf(text,
		   " of the connections would benefit, using about %s of memory with %s buffers.\n",
		   out_size(memory, sum->memory), out_size(buffer, SMC_GOOD_BUFFER));
}

static void append_source(struct out_text *text, const struct tally *tally,
			  const struct watched *watched)
{
	out_printf(text, "Watched for %.0f s by ", (double)watched->duration / 1000);
	if (watched->has_bpf)
		out_str(text, "eBPF, which misses nothing.\n");
	else
		out_printf(
			text,
			"lists of sockets, which miss connections shorter than the interval (%.1f s); %s.\n",
			(double)watched->interval / 1000, watched->why_not);
	if (watched->is_blind)
		out_str(text, "Processes of other users are unknown: only root can see them.\n");
	if (watched->is_lossy)
		out_str(text, "Too many connections ended at once: some are missing.\n");
	if (tally->n_untracked)
		out_printf(text, "Too many connections at once: %llu are missing.\n",
			   (unsigned long long)tally->n_untracked);
	if (tally->is_capped)
		out_str(text, "Too many processes and peers: the rest is one row.\n");
}

void advice_text(struct out_text *text, const struct judged *judged, const struct tally *tally,
		 const struct watched *watched, size_t width)
{
	if (judged->count)
		append_table(text, judged, width);
	append_sum(text, &judged->sum);
	append_source(text, tally, watched);
}

json_t *advice_json(const struct judged *judged, const struct tally *tally,
		    const struct watched *watched)
{
	json_t *rows = out_json_list(columns, judged->rows, judged->count, sizeof(*judged->rows));
	const struct judge_sum *sum = &judged->sum;

	return json_pack(
		"{s:s, s:s, s:s*, s:I, s:I, s:b, s:b, s:b, s:o, s:o, "
		"s:{s:o, s:o, s:o, s:o, s:o, s:i, s:o}}",
		"schema", "smc-tools/advise/1", "source", watched->has_bpf ? "bpf" : "poll",
		"why_no_better", *watched->why_not ? watched->why_not : NULL, "watched_ms",
		(json_int_t)watched->duration, "interval_ms", (json_int_t)watched->interval,
		"is_lossy", watched->is_lossy, "is_capped", tally->is_capped, "is_blind",
		watched->is_blind, "untracked_connections", out_json_number(tally->n_untracked),
		"rows", rows, "summary", "connections", out_json_number(sum->conns), "bytes",
		out_json_number(sum->bytes), "profiting_connections",
		out_json_number(sum->suited_conns), "profiting_bytes",
		out_json_number(sum->suited_bytes), "memory", out_json_number(sum->memory),
		"buffer_size", SMC_GOOD_BUFFER, "smc_connections", out_json_number(sum->smc_conns));
}
