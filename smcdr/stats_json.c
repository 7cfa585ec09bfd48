// SPDX-License-Identifier: MIT
/* Statistics as JSON, in the form of smc-tools and in our own. */
#include "smcdr/stats.h"

#include <errno.h>
#include <stdio.h>

#include "smc/reason.h"

const char *stats_size_name(int class)
{
	static const char *const names[SMC_STAT_SIZES] = { "8K",   "16K",  "32K",   "64K", "128K",
							   "256K", "512K", "1024K", ">1024K" };

	return names[class];
}

const char *stats_event_name(int event)
{
	static const char *const names[SMC_STAT_EVENTS] = {
		"too_small_peer", "too_small", "full_peer", "full", "reused", "allocated",
		"downgraded",
	};

	return names[event];
}

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

json_t *stats_compat_json(const struct smc_stats *stats, const struct smc_variant *variant)
{
	json_t *values = json_object(), *doc;

	for (size_t i = 0; i < SMC_STAT_COUNT; i++)
		json_object_set_new(values, smc_stat_key(i),
				    integer(stats->tech[variant->tech].value[i]));
	doc = values && json_object_size(values) == SMC_STAT_COUNT ?
		      json_pack("{s:O}", variant->key, values) : NULL;
	json_decref(values);
	return doc;
}

static void set(json_t *object, const char *key, const struct smc_tech_stats *tech, size_t index)
{
	if (tech->has[index])
		json_object_set_new(object, key, integer(tech->value[index]));
}

static json_t *json_sizes(const struct smc_tech_stats *tech, size_t first)
{
	json_t *object = json_object();

	for (int i = 0; i < SMC_STAT_SIZES; i++)
		set(object, stats_size_name(i), tech, first + (size_t)i);
	return object;
}

static json_t *json_direction(const struct smc_tech_stats *tech, bool is_tx)
{
	size_t events = is_tx ? SMC_STAT_TX_EVENT : SMC_STAT_RX_EVENT;
	json_t *object = json_object();

	set(object, "bytes", tech, is_tx ? SMC_STAT_TX_BYTES : SMC_STAT_RX_BYTES);
	set(object, "calls", tech, is_tx ? SMC_STAT_TX_CNT : SMC_STAT_RX_CNT);
	set(object, "buffer_usage_bytes", tech, is_tx ? SMC_STAT_TX_USAGE : SMC_STAT_RX_USAGE);
	for (int i = 0; i < SMC_STAT_EVENTS; i++)
		set(object, stats_event_name(i), tech, events + (size_t)i);
	json_object_set_new(object, "buffers",
			    json_sizes(tech, is_tx ? SMC_STAT_TX_BUF : SMC_STAT_RX_BUF));
	json_object_set_new(object, "requests",
			    json_sizes(tech, is_tx ? SMC_STAT_TX_REQ : SMC_STAT_RX_REQ));
	return object;
}

static json_t *json_connections(const struct smc_tech_stats *tech)
{
	json_t *object = json_object();

	set(object, "client_v1", tech, SMC_STAT_CLNT_V1);
	set(object, "client_v2", tech, SMC_STAT_CLNT_V2);
	set(object, "server_v1", tech, SMC_STAT_SRV_V1);
	set(object, "server_v2", tech, SMC_STAT_SRV_V2);
	return object;
}

static json_t *json_special(const struct smc_tech_stats *tech)
{
	json_t *object = json_object();

	set(object, "cork", tech, SMC_STAT_CORK);
	set(object, "nodelay", tech, SMC_STAT_NDLY);
	set(object, "sendpage", tech, SMC_STAT_SENDPAGE);
	set(object, "splice", tech, SMC_STAT_SPLICE);
	set(object, "urgent", tech, SMC_STAT_URG_DATA);
	return object;
}

static json_t *json_side(const struct smc_side_stats *side)
{
	json_t *reasons = json_array();

	for (size_t i = 0; i < side->n_reasons; i++) {
		const struct smc_reason *known = smc_reason_find(side->reasons[i].code);
		json_t *reason = json_object();

		json_object_set_new(reason, "code",
				    json_sprintf("0x%08x", side->reasons[i].code));
		if (known)
			json_object_set_new(reason, "symbol", json_string(known->symbol));
		json_object_set_new(reason, "count", integer(side->reasons[i].count));
		json_array_append_new(reasons, reason);
	}
	return json_pack("{s:I, s:I, s:o}", "handshake_errors",
			 (json_int_t)side->handshake_errors, "fallbacks",
			 (json_int_t)side->fallbacks, "reasons", reasons);
}

int stats_json(json_t *doc, const struct smc_stats *stats, const struct smc_variant *variant)
{
	const struct smc_tech_stats *tech = &stats->tech[variant->tech];
	const struct {
		const char *key;
		json_t *value;
	} members[] = {
		{ "connections", json_connections(tech) },
		{ "client", json_side(&stats->side[SMC_SIDE_CLIENT]) },
		{ "server", json_side(&stats->side[SMC_SIDE_SERVER]) },
		{ "rx", json_direction(tech, false) },
		{ "tx", json_direction(tech, true) },
		{ "special_calls", json_special(tech) },
	};
	int failed = 0;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		failed |= json_object_set_new(doc, members[i].key, members[i].value);
	return failed ? -ENOMEM : 0;
}
