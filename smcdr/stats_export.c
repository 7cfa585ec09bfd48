// SPDX-License-Identifier: MIT
/* Statistics for programs: JSON as in smc-tools 1.8.5, our own JSON, and Prometheus' text form. */
#include "smcdr/cmd.h"

#include "base/array.h"
#include "out/metrics.h"
#include "smc/reason.h"

static const char *const size_names[SMC_STAT_SIZES] = {
	"8K", "16K", "32K", "64K", "128K", "256K", "512K", "1024K", ">1024K",
};
static const char *const event_names[SMC_STAT_EVENTS] = {
	"too_small_peer", "too_small", "full_peer", "full", "reused", "allocated", "downgraded",
};

json_t *stats_compat_json(const struct smc_stats *stats, const struct smc_variant *variant)
{
	json_t *doc = json_pack("{s:{}}", variant->key);
	json_t *values = json_object_get(doc, variant->key);

	for (size_t i = 0; i < SMC_STAT_COUNT; i++)
		json_object_set_new(values, smc_stat_key(i),
				    out_json_number(stats->tech[variant->tech].value[i]));
	return doc;
}

/* Counters that are members of one object, @step array elements apart. */
struct range {
	const char *object, *inner; /* @inner: an object in @object, or NULL */
	const char *const *names;
	size_t first, count, step;
};

enum { CONNS, RX, RX_EVENT, RX_BUF, RX_REQ, TX, TX_EVENT, TX_BUF, TX_REQ };

#define NAMES(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* clang-format off */
#define DIRECTION(object, which)                                                                   \
	[which] = { object, NULL, NAMES("bytes", "calls", "buffer_usage_bytes"),                   \
		    SMC_STAT_##which##_BYTES, 3, 2 },                                              \
	[which##_EVENT] = { object, NULL, event_names, SMC_STAT_##which##_EVENT,                   \
			    SMC_STAT_EVENTS, 1 },                                                  \
	[which##_BUF] = { object, "buffers", size_names, SMC_STAT_##which##_BUF,                   \
			  SMC_STAT_SIZES, 1 },                                                     \
	[which##_REQ] = { object, "requests", size_names, SMC_STAT_##which##_REQ,                  \
			  SMC_STAT_SIZES, 1 }
/* clang-format on */

static const struct range ranges[] = {
	[CONNS] = { "connections", NULL, NAMES("client_v1", "client_v2", "server_v1", "server_v2"),
		    SMC_STAT_CLNT_V1, 4, 1 },
	DIRECTION("rx", RX),
	DIRECTION("tx", TX),
	{ "special_calls", NULL, NAMES("cork", "nodelay"), SMC_STAT_CORK, 2, 1 },
	{ "special_calls", NULL, NAMES("sendpage", "splice"), SMC_STAT_SENDPAGE, 2, 2 },
	{ "special_calls", NULL, NAMES("urgent"), SMC_STAT_URG_DATA, 1, 1 },
};

/* Counters that the kernel did not send are left out. */
static void add_range(json_t *doc, const struct range *range, const struct smc_tech_stats *tech)
{
	json_t *object = out_json_inside(doc, range->object);

	if (range->inner)
		object = out_json_inside(object, range->inner);
	for (size_t i = 0; i < range->count; i++) {
		size_t index = range->first + i * range->step;

		if (tech->has[index])
			json_object_set_new(object, range->names[i],
					    out_json_number(tech->value[index]));
	}
}

static json_t *json_side(const struct smc_side_stats *side)
{
	json_t *reasons = json_array();

	for (size_t i = 0; i < side->n_reasons; i++) {
		const struct smc_reason *known = smc_reason_find(side->reasons[i].code);

		json_array_append_new(reasons, json_pack("{s:o, s:s*, s:i}", "code",
							 out_json_hex(side->reasons[i].code, 8),
							 "symbol", known ? known->symbol : NULL,
							 "count", (int)side->reasons[i].count));
	}
	return json_pack("{s:I, s:I, s:o}", "handshake_errors", (json_int_t)side->handshake_errors,
			 "fallbacks", (json_int_t)side->fallbacks, "reasons", reasons);
}

json_t *stats_json(const struct smc_stats *stats, const struct smc_variant *variant,
		   bool is_since_reset)
{
	json_t *doc = json_pack("{s:b}", "since_reset", is_since_reset);

	out_json_inside(doc, "connections");
	json_object_set_new(doc, "client", json_side(&stats->side[SMC_SIDE_CLIENT]));
	json_object_set_new(doc, "server", json_side(&stats->side[SMC_SIDE_SERVER]));
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		add_range(doc, &ranges[i], &stats->tech[variant->tech]);
	return doc;
}

/* ---- metrics, for the node exporter's text file collector ---- */

/** struct set - namespaces to print */
struct set {
	const struct stats_of *of;
	size_t count;
};

static const char *inode_text(const struct stats_of *of, char buf[24])
{
	snprintf(buf, 24, "%" PRIu64, of->inode);
	return of->netns ? buf : NULL;
}

/* One counter per technology; two more labels, each left out if its value is NULL. */
static void tech_samples(struct out_text *text, const struct set *set, const char *name,
			 const char *const labels[4], size_t index)
{
	static const char *const techs[SMC_TECHS] = {
		[SMC_TECH_D] = "smcd", [SMC_TECH_R] = "smcr"
	};
	char inode[24];

	for_each(of, set->of, set->count) {
		for (int t = 0; t < SMC_TECHS; t++)
			if (of->stats->tech[t].has[index])
				metrics_sample(text, name, of->stats->tech[t].value[index], "tech",
					       techs[t], labels[0] ? labels[0] : "", labels[1],
					       labels[2] ? labels[2] : "", labels[3], "netns",
					       of->netns, "netns_inode", inode_text(of, inode),
					       NULL);
	}
}

/* Samples of one family have the same name, one after the other; the first has the help text. */
struct metric {
	size_t index;
	const char *name, *labels[4], *type, *help;
};

#define CONNECTIONS "smc_connections_total"
#define CALLS "smc_special_calls_total"

static const struct metric metrics[] = {
	{ SMC_STAT_CLNT_V1, CONNECTIONS, { "side", "client", "version", "1" }, "counter",
	  "Connections that were set up with SMC." },
	{ SMC_STAT_CLNT_V2, CONNECTIONS, { "side", "client", "version", "2" }, NULL, NULL },
	{ SMC_STAT_SRV_V1, CONNECTIONS, { "side", "server", "version", "1" }, NULL, NULL },
	{ SMC_STAT_SRV_V2, CONNECTIONS, { "side", "server", "version", "2" }, NULL, NULL },
	{ SMC_STAT_RX_BYTES, "smc_receive_bytes_total", { NULL }, "counter", "Bytes received." },
	{ SMC_STAT_TX_BYTES, "smc_transmit_bytes_total", { NULL }, "counter", "Bytes sent." },
	{ SMC_STAT_RX_CNT, "smc_receive_calls_total", { NULL }, "counter", "Calls to receive." },
	{ SMC_STAT_TX_CNT, "smc_transmit_calls_total", { NULL }, "counter", "Calls to send." },
	{ SMC_STAT_RX_USAGE, "smc_receive_buffer_usage_bytes", { NULL }, "gauge",
	  "Bytes in receive buffers now." },
	{ SMC_STAT_TX_USAGE, "smc_transmit_buffer_usage_bytes", { NULL }, "gauge",
	  "Bytes in send buffers now." },
}, special_metrics[] = {
	{ SMC_STAT_CORK, CALLS, { "call", "cork" }, "counter",
	  "Uses of special socket calls and options." },
	{ SMC_STAT_NDLY, CALLS, { "call", "nodelay" }, NULL, NULL },
	{ SMC_STAT_SENDPAGE, CALLS, { "call", "sendpage" }, NULL, NULL },
	{ SMC_STAT_SPLICE, CALLS, { "call", "splice" }, NULL, NULL },
	{ SMC_STAT_URG_DATA, CALLS, { "call", "urgent" }, NULL, NULL },
};

static void print_metrics(struct out_text *text, const struct set *set, const struct metric *rows,
			  size_t count)
{
	for (; count--; rows++) {
		if (rows->help)
			metrics_head(text, rows->name, rows->type, rows->help);
		tech_samples(text, set, rows->name, rows->labels, rows->index);
	}
}

/* A family with a label for the direction and one more. */
static void by_direction(struct out_text *text, const struct set *set, const char *name,
			 const char *help, const char *label, const struct range *rx,
			 const struct range *tx)
{
	metrics_head(text, name, "counter", help);
	for (size_t i = 0; i < 2 * rx->count; i++) {
		const char *const labels[4] = { "direction", i % 2 ? "transmit" : "receive", label,
						rx->names[i / 2] };

		tech_samples(text, set, name, labels, (i % 2 ? tx : rx)->first + i / 2);
	}
}

static const char *const sides[SMC_SIDES] = {
	[SMC_SIDE_CLIENT] = "client", [SMC_SIDE_SERVER] = "server"
};

static void side_samples(struct out_text *text, const struct set *set, const char *name,
			 bool is_fallbacks)
{
	char inode[24];

	for (size_t i = 0; i < set->count; i++)
		for (int s = 0; s < SMC_SIDES; s++) {
			const struct smc_side_stats *side = &set->of[i].stats->side[s];

			metrics_sample(text, name,
				       is_fallbacks ? side->fallbacks : side->handshake_errors,
				       "side", sides[s], "netns", set->of[i].netns, "netns_inode",
				       inode_text(&set->of[i], inode), NULL);
		}
}

static void reason_samples(struct out_text *text, const struct stats_of *of, int s)
{
	const struct smc_side_stats *side = &of->stats->side[s];
	char buf[16], code[16], inode[24];

	for (size_t i = 0; i < side->n_reasons; i++) {
		snprintf(code, sizeof(code), "0x%08x", side->reasons[i].code);
		metrics_sample(text, "smc_fallback_reasons_total", side->reasons[i].count, "side",
			       sides[s], "code", code, "reason",
			       stats_reason_name(side->reasons[i].code, buf), "netns", of->netns,
			       "netns_inode", inode_text(of, inode), NULL);
	}
}

/* The kernel counts these for SMC-D and SMC-R together. */
static void by_side(struct out_text *text, const struct set *set)
{
	metrics_head(text, "smc_handshake_errors_total", "counter",
		     "Connections lost to an error while SMC was negotiated.");
	side_samples(text, set, "smc_handshake_errors_total", false);
	metrics_head(text, "smc_fallbacks_total", "counter", "Connections that became plain TCP.");
	side_samples(text, set, "smc_fallbacks_total", true);
	metrics_head(text, "smc_fallback_reasons_total", "counter",
		     "Fallbacks to plain TCP, by reason; the kernel's counter wraps at "
		     "65536.");
	for (size_t i = 0; i < set->count; i++)
		for (int s = 0; s < SMC_SIDES; s++)
			reason_samples(text, &set->of[i], s);
}

void stats_metrics(struct out_text *text, const struct stats_of *of, size_t count)
{
	const struct set set = { of, count };

	print_metrics(text, &set, metrics, ARRAY_SIZE(metrics));
	by_direction(text, &set, "smc_buffers_total", "Buffers given to connections, by size.",
		     "size", &ranges[RX_BUF], &ranges[TX_BUF]);
	by_direction(text, &set, "smc_requests_total", "Calls to send and receive, by length.",
		     "size", &ranges[RX_REQ], &ranges[TX_REQ]);
	by_direction(text, &set, "smc_buffer_events_total",
		     "Buffers that were full, too small, reused or shrunk.", "event",
		     &ranges[RX_EVENT], &ranges[TX_EVENT]);
	print_metrics(text, &set, special_metrics, ARRAY_SIZE(special_metrics));
	by_side(text, &set);
	out_str(text, "# EOF\n");
}
