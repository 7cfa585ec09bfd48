// SPDX-License-Identifier: MIT
/* Print statistics as a report. */
#include "smcdr/cmd.h"

#include <stdarg.h>

#include "base/array.h"
#include "smc/reason.h"

#define SHOWN_SIZES 8  /* the two largest classes are shown as one */
#define SIZES_WIDTH 71 /* for the table with a column for each class */

/**
 * struct report - a report being printed
 * @width: of the terminal, 0 for none; @edge: column where numbers end
 */
struct report {
	struct out_text *text;
	size_t width;
	int edge;
	bool has_details;
};

const char *stats_si(uint64_t value, char buf[16])
{
	static const char units[] = " KMGTPE";
	double scaled = (double)value;
	int unit = 0, decimals;

	if (value < 1000) {
		snprintf(buf, 16, "%d", (int)value);
		return buf;
	}
	/* A value that would round up to 1000 becomes 1.000 of the next unit. */
	while (scaled >= (unit ? 999.95 : 1000)) {
		scaled /= 1000;
		unit++;
	}
	decimals = (scaled < 9.9995) + (scaled < 99.995) + 1;
	snprintf(buf, 16, "%.*f%c", decimals, scaled, units[unit]);
	return buf;
}

const char *stats_reason_name(uint32_t code, char buf[16])
{
	const struct smc_reason *reason = smc_reason_find(code);

	if (reason)
		return reason->stats_name;
	snprintf(buf, 16, "0x%08x", code);
	return buf;
}

/* Width of the value after a label; values end at the same column, after at least one blank. */
static int room(const struct report *to, const char *label)
{
	return to->edge - 1 - (int)strlen(label);
}

static void number(const struct report *to, const char *label, uint64_t value)
{
	out_printf(to->text, "%s %*" PRIu64, label, room(to, label), value);
}

static void number_line(const struct report *to, const char *label, uint64_t value)
{
	number(to, label, value);
	out_str(to->text, "\n");
}

/* A number with a note, which has a line of its own if it does not fit. */
static void __attribute__((format(printf, 4, 5)))
noted_line(const struct report *to, const char *label, uint64_t value, const char *fmt, ...)
{
	size_t start = to->text->len;
	char note[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(note, sizeof(note), fmt, ap);
	va_end(ap);
	number(to, label, value);
	if (to->width && to->text->len - start + 3 + strlen(note) > to->width)
		out_printf(to->text, "\n     ");
	out_printf(to->text, " (%s)\n", note);
}

static void bytes_line(const struct report *to, const char *label, uint64_t value)
{
	char buf[16];

	noted_line(to, label, value, "%s", stats_si(value, buf));
}

static void percent_line(const struct report *to, const char *label, uint64_t value, uint64_t all)
{
	noted_line(to, label, value, "%.2f%%", all ? 100.0 * (double)value / (double)all : 0.0);
}

static void split_line(const struct report *to, const char *label, uint64_t client, uint64_t server)
{
	if (to->has_details)
		noted_line(to, label, client + server, "client %" PRIu64 ", server %" PRIu64,
			   client, server);
	else
		number_line(to, label, client + server);
}

static void usage_line(const struct report *to, const struct smc_tech_stats *tech, size_t index)
{
	static const char label[] = "  Buffer usage (Bytes)";

	if (tech->has[index])
		bytes_line(to, label, tech->value[index]);
	else
		out_printf(to->text, "%s %*s\n", label, room(to, label), "n/a");
}

static void print_reasons(const struct report *to, const char *head,
			  const struct smc_side_stats *side)
{
	if (side->n_reasons)
		out_printf(to->text, "%s\n", head);
	/* Most frequent first; the lists are short. */
	for (uint32_t limit = UINT16_MAX; side->n_reasons && limit;) {
		uint32_t next = 0;

		for_each(reason, side->reasons, side->n_reasons) {
			char label[32], buf[16];

			if (reason->count < limit && reason->count > next)
				next = reason->count;
			if (reason->count != limit)
				continue;
			snprintf(label, sizeof(label), "     %s",
				 stats_reason_name(reason->code, buf));
			noted_line(to, label, reason->count, "0x%08x", reason->code);
		}
		limit = next;
	}
}

static void print_summary(const struct report *to, const struct smc_stats *stats,
			  const struct smc_variant *variant)
{
	const uint64_t *v = stats->tech[variant->tech].value;
	const struct smc_side_stats *client = &stats->side[SMC_SIDE_CLIENT];
	const struct smc_side_stats *server = &stats->side[SMC_SIDE_SERVER];
	uint64_t c = v[SMC_STAT_CLNT_V1] + v[SMC_STAT_CLNT_V2];
	uint64_t s = v[SMC_STAT_SRV_V1] + v[SMC_STAT_SRV_V2];
	uint64_t calls = v[SMC_STAT_RX_CNT] + v[SMC_STAT_TX_CNT];
	static const char average[] = "  Avg requests per SMC conn";

	out_printf(to->text, "%s Connections Summary\n", variant->title);
	number_line(to, "  Total connections handled",
		    c + s + client->handshake_errors + server->handshake_errors +
			    client->fallbacks + server->fallbacks);
	split_line(to, "  SMC connections", c, s);
	if (to->has_details) {
		number_line(to, "    v1", v[SMC_STAT_CLNT_V1] + v[SMC_STAT_SRV_V1]);
		number_line(to, "    v2", v[SMC_STAT_CLNT_V2] + v[SMC_STAT_SRV_V2]);
	}
	split_line(to, "  Handshake errors", client->handshake_errors, server->handshake_errors);
	out_printf(to->text, "%s %*.1f\n", average, room(to, average),
		   c + s ? (double)calls / (double)(c + s) : 0.0);
	split_line(to, "  TCP fallback", client->fallbacks, server->fallbacks);
	if (to->has_details) {
		print_reasons(to, "    Server", server);
		print_reasons(to, "    Client", client);
	}
}

static const char *const sizes[SHOWN_SIZES] = { "8KB",	 "16KB",  "32KB",  "64KB",
						"128KB", "256KB", "512KB", ">512KB" };

static const char *count_of(const uint64_t *counts, int size, char buf[16])
{
	return stats_si(size < SHOWN_SIZES - 1 ? counts[size] : counts[size] + counts[size + 1],
			buf);
}

static void cells(struct out_text *text, const char *label, const uint64_t *counts)
{
	char buf[16];

	out_str(text, label);
	for (int i = 0; i < SHOWN_SIZES; i++)
		out_printf(text, " %7s", counts ? count_of(counts, i, buf) : sizes[i]);
	out_str(text, "\n");
}

/* Number of buffers and requests in each class of sizes */
static void print_sizes(const struct report *to, const uint64_t *bufs, const uint64_t *reqs)
{
	char buf[16], req[16];

	if (!to->width || to->width >= SIZES_WIDTH) {
		cells(to->text, "       ", NULL);
		cells(to->text, "  Bufs ", bufs);
		cells(to->text, "  Reqs ", reqs);
		return;
	}
	out_str(to->text, "     Size    Bufs    Reqs\n");
	for (int i = 0; i < SHOWN_SIZES; i++)
		out_printf(to->text, "  %7s %7s %7s\n", sizes[i], count_of(bufs, i, buf),
			   count_of(reqs, i, req));
}

static void print_direction(const struct report *to, const struct smc_tech_stats *tech, bool is_tx)
{
	const uint64_t *v = tech->value;
	const uint64_t *events = v + (is_tx ? SMC_STAT_TX_EVENT : SMC_STAT_RX_EVENT);
	uint64_t all = v[is_tx ? SMC_STAT_TX_CNT : SMC_STAT_RX_CNT];

	out_str(to->text, is_tx ? "\nTX Stats\n" : "\nRX Stats\n");
	bytes_line(to, "  Data transmitted (Bytes)",
		   v[is_tx ? SMC_STAT_TX_BYTES : SMC_STAT_RX_BYTES]);
	number_line(to, "  Total requests", all);
	usage_line(to, tech, is_tx ? SMC_STAT_TX_USAGE : SMC_STAT_RX_USAGE);
	percent_line(to, "  Buffer full", events[SMC_EVENT_FULL], all);
	if (is_tx) {
		percent_line(to, "  Buffer full (remote)", events[SMC_EVENT_FULL_PEER], all);
		percent_line(to, "  Buffer too small", events[SMC_EVENT_SMALL], all);
		percent_line(to, "  Buffer too small (remote)", events[SMC_EVENT_SMALL_PEER], all);
	}
	if (to->has_details) {
		number_line(to, "  Buffer downgrades", events[SMC_EVENT_DOWNGRADE]);
		number_line(to, "  Buffer reuses", events[SMC_EVENT_REUSE]);
		number_line(to, "  Buffer allocations", events[SMC_EVENT_ALLOC]);
	}
	print_sizes(to, v + (is_tx ? SMC_STAT_TX_BUF : SMC_STAT_RX_BUF),
		    v + (is_tx ? SMC_STAT_TX_REQ : SMC_STAT_RX_REQ));
}

static bool is_idle(const struct smc_tech_stats *tech)
{
	for (size_t i = 0; i < ARRAY_SIZE(tech->value); i++)
		if (tech->value[i])
			return false;
	return true;
}

/* As in 1.8.5, but on a narrow terminal further left, to leave room for short notes. */
static int edge(size_t width)
{
	const int usual = 41, least = 31, note = 9;

	if (!width || (int)width >= usual + note)
		return usual;
	return (int)width - note > least ? (int)width - note : least;
}

void stats_print(struct out_text *text, const struct smc_stats *stats,
		 const struct smc_variant *variant, bool has_details, size_t width)
{
	const struct smc_tech_stats *tech = &stats->tech[variant->tech];
	const struct report report = { text, width, edge(width), has_details }, *to = &report;
	const uint64_t *v = tech->value;

	print_summary(to, stats, variant);
	if (width && is_idle(tech)) {
		out_printf(text, "\nNo connection has used %s.\n", variant->title);
		return;
	}
	print_direction(to, tech, false);
	print_direction(to, tech, true);
	out_str(text, "\nExtras\n");
	number_line(to, "  Special socket calls",
		    v[SMC_STAT_CORK] + v[SMC_STAT_NDLY] + v[SMC_STAT_SENDPAGE] +
			    v[SMC_STAT_SPLICE] + v[SMC_STAT_URG_DATA]);
	if (!has_details)
		return;
	number_line(to, "    cork", v[SMC_STAT_CORK]);
	number_line(to, "    nodelay", v[SMC_STAT_NDLY]);
	number_line(to, "    sendpage", v[SMC_STAT_SENDPAGE]);
	number_line(to, "    splice", v[SMC_STAT_SPLICE]);
	number_line(to, "    urgent data", v[SMC_STAT_URG_DATA]);
}
