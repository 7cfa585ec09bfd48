// SPDX-License-Identifier: MIT
/* Statistics for Prometheus, by way of the node exporter's text file collector. */
#include "smcdr/stats.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const techs[SMC_TECHS] = { [SMC_TECH_D] = "smcd", [SMC_TECH_R] = "smcr" };
static const char *const sides[SMC_SIDES] = { [SMC_SIDE_CLIENT] = "client",
					      [SMC_SIDE_SERVER] = "server" };

static void head(struct out_text *text, const char *name, const char *type, const char *help)
{
	out_printf(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A label is given as two strings; NULL ends them. */
static void sample(struct out_text *text, const char *name, const char *const *labels,
		   uint64_t value)
{
	out_str(text, name);
	for (size_t i = 0; labels[i]; i += 2)
		out_printf(text, "%c%s=\"%s\"", i ? ',' : '{', labels[i], labels[i + 1]);
	out_printf(text, "%s %" PRIu64 "\n", labels[0] ? "}" : "", value);
}

/* One number of each technology, with up to two more labels. */
static void tech_sample(struct out_text *text, const struct smc_stats *stats, const char *name,
			size_t index, const char *const more[4])
{
	for (int t = 0; t < SMC_TECHS; t++) {
		const char *const labels[] = { "tech",	techs[t], more[0], more[1],
					       more[2], more[3],  NULL };

		if (stats->tech[t].has[index])
			sample(text, name, labels, stats->tech[t].value[index]);
	}
}

static const char *const plain[4] = { NULL, NULL, NULL, NULL };

static void handshakes(struct out_text *text, const struct smc_stats *stats)
{
	static const char name[] = "smc_connections_total";
	static const struct {
		size_t index;
		const char *labels[4];
	} rows[] = {
		{ SMC_STAT_CLNT_V1, { "side", "client", "version", "1" } },
		{ SMC_STAT_CLNT_V2, { "side", "client", "version", "2" } },
		{ SMC_STAT_SRV_V1, { "side", "server", "version", "1" } },
		{ SMC_STAT_SRV_V2, { "side", "server", "version", "2" } },
	};

	head(text, name, "counter", "Connections that were set up with SMC.");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tech_sample(text, stats, name, rows[i].index, rows[i].labels);
}

static void simple(struct out_text *text, const struct smc_stats *stats)
{
	static const struct {
		size_t index;
		const char *name, *type, *help;
	} rows[] = {
		{ SMC_STAT_RX_BYTES, "smc_receive_bytes_total", "counter", "Bytes received." },
		{ SMC_STAT_TX_BYTES, "smc_transmit_bytes_total", "counter", "Bytes sent." },
		{ SMC_STAT_RX_CNT, "smc_receive_calls_total", "counter", "Calls to receive." },
		{ SMC_STAT_TX_CNT, "smc_transmit_calls_total", "counter", "Calls to send." },
		{ SMC_STAT_RX_USAGE, "smc_receive_buffer_usage_bytes", "gauge",
		  "Bytes in receive buffers now." },
		{ SMC_STAT_TX_USAGE, "smc_transmit_buffer_usage_bytes", "gauge",
		  "Bytes in send buffers now." },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		head(text, rows[i].name, rows[i].type, rows[i].help);
		tech_sample(text, stats, rows[i].name, rows[i].index, plain);
	}
}

/* A family whose samples differ in direction and one more label. */
static void by_direction(struct out_text *text, const struct smc_stats *stats, const char *name,
			 const char *help, const char *label, const char *(*label_name)(int),
			 int count, size_t rx, size_t tx)
{
	head(text, name, "counter", help);
	for (int i = 0; i < count; i++) {
		const char *const receive[4] = { "direction", "receive", label, label_name(i) };
		const char *const transmit[4] = { "direction", "transmit", label, label_name(i) };

		tech_sample(text, stats, name, rx + (size_t)i, receive);
		tech_sample(text, stats, name, tx + (size_t)i, transmit);
	}
}

static void special(struct out_text *text, const struct smc_stats *stats)
{
	static const char name[] = "smc_special_calls_total";
	static const struct {
		size_t index;
		const char *labels[4];
	} rows[] = {
		{ SMC_STAT_CORK, { "call", "cork" } },
		{ SMC_STAT_NDLY, { "call", "nodelay" } },
		{ SMC_STAT_SENDPAGE, { "call", "sendpage" } },
		{ SMC_STAT_SPLICE, { "call", "splice" } },
		{ SMC_STAT_URG_DATA, { "call", "urgent" } },
	};

	head(text, name, "counter", "Uses of special socket calls and options.");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tech_sample(text, stats, name, rows[i].index, rows[i].labels);
}

/* The kernel counts these for SMC-D and SMC-R together. */
static void by_side(struct out_text *text, const struct smc_stats *stats)
{
	static const char errors[] = "smc_handshake_errors_total";
	static const char fallbacks[] = "smc_fallbacks_total";
	static const char reasons[] = "smc_fallback_reasons_total";

	head(text, errors, "counter", "Connections lost to an error while SMC was negotiated.");
	for (int s = 0; s < SMC_SIDES; s++)
		sample(text, errors, (const char *const[]){ "side", sides[s], NULL },
		       stats->side[s].handshake_errors);
	head(text, fallbacks, "counter", "Connections that became plain TCP.");
	for (int s = 0; s < SMC_SIDES; s++)
		sample(text, fallbacks, (const char *const[]){ "side", sides[s], NULL },
		       stats->side[s].fallbacks);
	head(text, reasons, "counter",
	     "Connections that became plain TCP by reason; the kernel's counter wraps at 65536.");
	for (int s = 0; s < SMC_SIDES; s++) {
		for (size_t i = 0; i < stats->side[s].n_reasons; i++) {
			uint32_t code = stats->side[s].reasons[i].code;
			char number[16], buf[16];

			snprintf(number, sizeof(number), "0x%08x", code);
			sample(text, reasons,
			       (const char *const[]){ "side", sides[s], "code", number, "reason",
						      stats_reason_name(code, buf), NULL },
			       stats->side[s].reasons[i].count);
		}
	}
}

void stats_metrics(struct out_text *text, const struct smc_stats *stats)
{
	handshakes(text, stats);
	simple(text, stats);
	by_direction(text, stats, "smc_buffers_total", "Buffers given to connections, by size.",
		     "size", stats_size_name, SMC_STAT_SIZES, SMC_STAT_RX_BUF, SMC_STAT_TX_BUF);
	by_direction(text, stats, "smc_requests_total", "Calls to send and receive, by length.",
		     "size", stats_size_name, SMC_STAT_SIZES, SMC_STAT_RX_REQ, SMC_STAT_TX_REQ);
	by_direction(text, stats, "smc_buffer_events_total", "What happened to buffers.", "event",
		     stats_event_name, SMC_STAT_EVENTS, SMC_STAT_RX_EVENT, SMC_STAT_TX_EVENT);
	special(text, stats);
	by_side(text, stats);
	out_str(text, "# EOF\n");
}
