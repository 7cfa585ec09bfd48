// SPDX-License-Identifier: MIT
/* Print statistics as a report. */
#include "smcdr/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "smc/reason.h"

#define EDGE 41	      /* column where numbers end */
#define SHOWN_SIZES 8 /* the two largest classes are shown as one */

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
	decimals = scaled < 9.9995 ? 3 : scaled < 99.995 ? 2 : 1;
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

/* Width of the value after a label: values end at one column, with at least one blank in front. */
static int room(const char *label)
{
	return EDGE - 1 - (int)strlen(label);
}

static void number(struct out_text *text, const char *label, uint64_t value)
{
	out_printf(text, "%s %*" PRIu64, label, room(label), value);
}

static void number_line(struct out_text *text, const char *label, uint64_t value)
{
	number(text, label, value);
	out_str(text, "\n");
}

static void bytes_line(struct out_text *text, const char *label, uint64_t value)
{
	char buf[16];

	number(text, label, value);
	out_printf(text, " (%s)\n", stats_si(value, buf));
}

static void percent_line(struct out_text *text, const char *label, uint64_t value, uint64_t all)
{
	number(text, label, value);
	out_printf(text, " (%.2f%%)\n", all ? 100.0 * (double)value / (double)all : 0.0);
}

static void split_line(struct out_text *text, const char *label, uint64_t client, uint64_t server,
		       bool is_split)
{
	number(text, label, client + server);
	if (is_split)
		out_printf(text, " (client %" PRIu64 ", server %" PRIu64 ")", client, server);
	out_str(text, "\n");
}

static void usage_line(struct out_text *text, const struct smc_tech_stats *tech, size_t index)
{
	static const char label[] = "  Buffer usage (Bytes)";

	if (tech->has[index])
		bytes_line(text, label, tech->value[index]);
	else
		out_printf(text, "%s %*s\n", label, room(label), "n/a");
}

static void print_reasons(struct out_text *text, const char *head,
			  const struct smc_side_stats *side)
{
	if (side->n_reasons)
		out_printf(text, "%s\n", head);
	/* Most frequent first; the lists are short. */
	for (uint32_t limit = UINT16_MAX; side->n_reasons && limit;) {
		uint32_t next = 0;

		for (size_t i = 0; i < side->n_reasons; i++) {
			const struct smc_reason_count *reason = &side->reasons[i];
			char label[32], buf[16];

			if (reason->count < limit && reason->count > next)
				next = reason->count;
			if (reason->count != limit)
				continue;
			snprintf(label, sizeof(label), "     %s",
				 stats_reason_name(reason->code, buf));
			number(text, label, reason->count);
			out_printf(text, " (0x%08x)\n", reason->code);
		}
		limit = next;
	}
}

static void print_summary(struct out_text *text, const struct smc_stats *stats,
			  const struct smc_variant *variant, bool has_details)
{
	const uint64_t *v = stats->tech[variant->tech].value;
	const struct smc_side_stats *client = &stats->side[SMC_SIDE_CLIENT];
	const struct smc_side_stats *server = &stats->side[SMC_SIDE_SERVER];
	uint64_t c = v[SMC_STAT_CLNT_V1] + v[SMC_STAT_CLNT_V2];
	uint64_t s = v[SMC_STAT_SRV_V1] + v[SMC_STAT_SRV_V2];
	uint64_t calls = v[SMC_STAT_RX_CNT] + v[SMC_STAT_TX_CNT];
	static const char average[] = "  Avg requests per SMC conn";

	out_printf(text, "%s Connections Summary\n", variant->title);
	number_line(text, "  Total connections handled",
		    c + s + client->handshake_errors + server->handshake_errors +
			    client->fallbacks + server->fallbacks);
	split_line(text, "  SMC connections", c, s, has_details);
	if (has_details) {
		number_line(text, "    v1", v[SMC_STAT_CLNT_V1] + v[SMC_STAT_SRV_V1]);
		number_line(text, "    v2", v[SMC_STAT_CLNT_V2] + v[SMC_STAT_SRV_V2]);
	}
	split_line(text, "  Handshake errors", client->handshake_errors, server->handshake_errors,
		   has_details);
	out_printf(text, "%s %*.1f\n", average, room(average),
		   c + s ? (double)calls / (double)(c + s) : 0.0);
	split_line(text, "  TCP fallback", client->fallbacks, server->fallbacks, has_details);
	if (has_details) {
		print_reasons(text, "    Server", server);
		print_reasons(text, "    Client", client);
	}
}

static void cells(struct out_text *text, const char *label, const uint64_t *sizes)
{
	char buf[16];

	out_printf(text, "%s ", label);
	for (int i = 0; i < SHOWN_SIZES; i++)
		out_printf(text, " %7s",
			   stats_si(i < SHOWN_SIZES - 1 ? sizes[i] : sizes[i] + sizes[i + 1], buf));
	out_str(text, "\n");
}

static void print_direction(struct out_text *text, const struct smc_tech_stats *tech, bool is_tx,
			    bool has_details)
{
	const uint64_t *v = tech->value;
	const uint64_t *events = v + (is_tx ? SMC_STAT_TX_EVENT : SMC_STAT_RX_EVENT);
	uint64_t all = v[is_tx ? SMC_STAT_TX_CNT : SMC_STAT_RX_CNT];

	out_str(text, is_tx ? "\nTX Stats\n" : "\nRX Stats\n");
	bytes_line(text, "  Data transmitted (Bytes)",
		   v[is_tx ? SMC_STAT_TX_BYTES : SMC_STAT_RX_BYTES]);
	number_line(text, "  Total requests", all);
	usage_line(text, tech, is_tx ? SMC_STAT_TX_USAGE : SMC_STAT_RX_USAGE);
	percent_line(text, "  Buffer full", events[SMC_EVENT_FULL], all);
	if (is_tx) {
		percent_line(text, "  Buffer full (remote)", events[SMC_EVENT_FULL_PEER], all);
		percent_line(text, "  Buffer too small", events[SMC_EVENT_SMALL], all);
		percent_line(text, "  Buffer too small (remote)", events[SMC_EVENT_SMALL_PEER],
			     all);
	}
	if (has_details) {
		number_line(text, "  Buffer downgrades", events[SMC_EVENT_DOWNGRADE]);
		number_line(text, "  Buffer reuses", events[SMC_EVENT_REUSE]);
		number_line(text, "  Buffer allocations", events[SMC_EVENT_ALLOC]);
	}
	out_str(text, "            8KB    16KB    32KB    64KB   128KB   256KB   512KB  >512KB\n");
	cells(text, "  Bufs", v + (is_tx ? SMC_STAT_TX_BUF : SMC_STAT_RX_BUF));
	cells(text, "  Reqs", v + (is_tx ? SMC_STAT_TX_REQ : SMC_STAT_RX_REQ));
}

static bool is_idle(const struct smc_tech_stats *tech)
{
	for (size_t i = 0; i < sizeof(tech->value) / sizeof(tech->value[0]); i++)
		if (tech->value[i])
			return false;
	return true;
}

void stats_print(struct out_text *text, const struct smc_stats *stats,
		 const struct smc_variant *variant, bool has_details, bool is_terminal)
{
	const struct smc_tech_stats *tech = &stats->tech[variant->tech];
	const uint64_t *v = tech->value;

	print_summary(text, stats, variant, has_details);
	if (is_terminal && is_idle(tech)) {
		out_printf(text, "\nNo connection has used %s.\n", variant->title);
		return;
	}
	print_direction(text, tech, false, has_details);
	print_direction(text, tech, true, has_details);
	out_str(text, "\nExtras\n");
	number_line(text, "  Special socket calls",
		    v[SMC_STAT_CORK] + v[SMC_STAT_NDLY] + v[SMC_STAT_SENDPAGE] +
			    v[SMC_STAT_SPLICE] + v[SMC_STAT_URG_DATA]);
	if (!has_details)
		return;
	number_line(text, "    cork", v[SMC_STAT_CORK]);
	number_line(text, "    nodelay", v[SMC_STAT_NDLY]);
	number_line(text, "    sendpage", v[SMC_STAT_SENDPAGE]);
	number_line(text, "    splice", v[SMC_STAT_SPLICE]);
	number_line(text, "    urgent data", v[SMC_STAT_URG_DATA]);
}
