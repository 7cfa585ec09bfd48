// SPDX-License-Identifier: MIT
#include "smc/stats.h"

#include <libmnl/libmnl.h>

#include "base/array.h"
#include "smc/attr.h"

#define SIZES(which)                                                                               \
	"SMC_" which "_BUF_8K", "SMC_" which "_BUF_16K", "SMC_" which "_BUF_32K",                  \
		"SMC_" which "_BUF_64K", "SMC_" which "_BUF_128K", "SMC_" which "_BUF_256K",       \
		"SMC_" which "_BUF_512K", "SMC_" which "_BUF_1024K", "SMC_" which "_BUF_G_1024K"
#define EVENTS(which)                                                                              \
	"SMC_INT_" which "_BUF_SIZE_SM_PEER_CNT", "SMC_INT_" which "_BUF_SIZE_SM_CNT",             \
		"SMC_INT_" which "_BUF_FULL_PEER_CNT", "SMC_INT_" which "_BUF_FULL_CNT",           \
		"SMC_INT_" which "_BUF_REUSE_CNT", "SMC_INT_" which "_BUF_ALLOC_CNT",              \
		"SMC_INT_" which "_BUF_DGRADE_CNT"

static const char *const keys[SMC_STAT_COUNT] = {
	SIZES("INT_TX"),	SIZES("INT_RX"),	SIZES("USR_TX"),
	SIZES("USR_RX"),	EVENTS("TX"),		EVENTS("RX"),
	"SMC_CLNT_V1_SUCC_CNT", "SMC_CLNT_V2_SUCC_CNT", "SMC_SRV_V1_SUCC_CNT",
	"SMC_SRV_V2_SUCC_CNT",	"SMC_SENDPAGE_CNT",	"SMC_URG_DATA_CNT",
	"SMC_SPLICE_CNT",	"SMC_CORK_CNT",		"SMC_NDLY_CNT",
	"SMC_RX_BYTES",		"SMC_TX_BYTES",		"SMC_RX_CNT",
	"SMC_TX_CNT",		"SMC_RX_RMB_USAGE",	"SMC_TX_RMB_USAGE",
};

const char *smc_stat_key(size_t index)
{
	return keys[index];
}

bool smc_stat_is_gauge(size_t index)
{
	return index == SMC_STAT_RX_USAGE || index == SMC_STAT_TX_USAGE;
}

/* Index of a nest's first counter, and their number; 0 for a counter of its own. */
static const struct place {
	uint8_t first, count;
} places[] = {
	[SMC_NLA_STATS_T_TX_RMB_SIZE] = { SMC_STAT_TX_BUF, SMC_STAT_SIZES },
	[SMC_NLA_STATS_T_RX_RMB_SIZE] = { SMC_STAT_RX_BUF, SMC_STAT_SIZES },
	[SMC_NLA_STATS_T_TXPLOAD_SIZE] = { SMC_STAT_TX_REQ, SMC_STAT_SIZES },
	[SMC_NLA_STATS_T_RXPLOAD_SIZE] = { SMC_STAT_RX_REQ, SMC_STAT_SIZES },
	[SMC_NLA_STATS_T_TX_RMB_STATS] = { SMC_STAT_TX_EVENT, SMC_STAT_EVENTS },
	[SMC_NLA_STATS_T_RX_RMB_STATS] = { SMC_STAT_RX_EVENT, SMC_STAT_EVENTS },
	[SMC_NLA_STATS_T_CLNT_V1_SUCC] = { SMC_STAT_CLNT_V1, 0 },
	[SMC_NLA_STATS_T_CLNT_V2_SUCC] = { SMC_STAT_CLNT_V2, 0 },
	[SMC_NLA_STATS_T_SRV_V1_SUCC] = { SMC_STAT_SRV_V1, 0 },
	[SMC_NLA_STATS_T_SRV_V2_SUCC] = { SMC_STAT_SRV_V2, 0 },
	[SMC_NLA_STATS_T_SENDPAGE_CNT] = { SMC_STAT_SENDPAGE, 0 },
	[SMC_NLA_STATS_T_SPLICE_CNT] = { SMC_STAT_SPLICE, 0 },
	[SMC_NLA_STATS_T_CORK_CNT] = { SMC_STAT_CORK, 0 },
	[SMC_NLA_STATS_T_NDLY_CNT] = { SMC_STAT_NDLY, 0 },
	[SMC_NLA_STATS_T_URG_DATA_CNT] = { SMC_STAT_URG_DATA, 0 },
	[SMC_NLA_STATS_T_RX_BYTES] = { SMC_STAT_RX_BYTES, 0 },
	[SMC_NLA_STATS_T_TX_BYTES] = { SMC_STAT_TX_BYTES, 0 },
	[SMC_NLA_STATS_T_RX_CNT] = { SMC_STAT_RX_CNT, 0 },
	[SMC_NLA_STATS_T_TX_CNT] = { SMC_STAT_TX_CNT, 0 },
	[SMC_ABI_TECH_RX_RMB_USAGE] = { SMC_STAT_RX_USAGE, 0 },
	[SMC_ABI_TECH_TX_RMB_USAGE] = { SMC_STAT_TX_USAGE, 0 },
};

static void take(struct smc_tech_stats *tech, size_t index, const struct nlattr *attr)
{
	if (smc_attr_number(attr, &tech->value[index]))
		tech->has[index] = true;
}

static void decode_nest(struct smc_tech_stats *tech, const struct place *place,
			const struct nlattr *nest)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		uint16_t type = mnl_attr_get_type(attr);

		if (type >= 1 && type <= place->count)
			take(tech, place->first + type - 1U, attr);
	}
}

static void decode_tech(struct smc_tech_stats *tech, const struct nlattr *nest)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		uint16_t type = mnl_attr_get_type(attr);

		if (!type || type >= ARRAY_SIZE(places))
			continue;
		if (places[type].count)
			decode_nest(tech, &places[type], attr);
		else
			take(tech, places[type].first, attr);
	}
}

int smc_stats_decode(const struct nlmsghdr *nlh, void *arg)
{
	struct smc_stats *stats = arg;
	const struct nlattr *nest = smc_attr_nest(nlh, SMC_GEN_STATS), *attr;

	if (!nest)
		return -EBADMSG;
	mnl_attr_for_each_nested(attr, nest) {
		switch (mnl_attr_get_type(attr)) {
		case SMC_NLA_STATS_SMCD_TECH: decode_tech(&stats->tech[SMC_TECH_D], attr); break;
		case SMC_NLA_STATS_SMCR_TECH: decode_tech(&stats->tech[SMC_TECH_R], attr); break;
		case SMC_NLA_STATS_CLNT_HS_ERR_CNT:
			smc_attr_number(attr, &stats->side[SMC_SIDE_CLIENT].handshake_errors);
			break;
		case SMC_NLA_STATS_SRV_HS_ERR_CNT:
			smc_attr_number(attr, &stats->side[SMC_SIDE_SERVER].handshake_errors);
			break;
		}
	}
	return 0;
}

int smc_fback_decode(const struct nlmsghdr *nlh, void *arg)
{
	struct smc_stats *stats = arg;
	const struct nlattr *nest = smc_attr_nest(nlh, SMC_GEN_FBACK_STATS), *attr;
	bool is_server = false, has_code = false, has_count = false;
	struct smc_reason_count reason = { 0 };
	struct smc_side_stats *side;
	uint32_t count = 0;

	if (!nest)
		return -EBADMSG;
	mnl_attr_for_each_nested(attr, nest) {
		switch (mnl_attr_get_type(attr)) {
		case SMC_NLA_FBACK_STATS_TYPE: smc_attr_bool(attr, &is_server); break;
		/* Only the first message has these two totals. */
		case SMC_NLA_FBACK_STATS_SRV_CNT:
			smc_attr_number(attr, &stats->side[SMC_SIDE_SERVER].fallbacks);
			break;
		case SMC_NLA_FBACK_STATS_CLNT_CNT:
			smc_attr_number(attr, &stats->side[SMC_SIDE_CLIENT].fallbacks);
			break;
		case SMC_NLA_FBACK_STATS_RSN_CODE:
			has_code = smc_attr_number(attr, &reason.code);
			break;
		/* 2 bytes: wraps at 65536 */
		case SMC_NLA_FBACK_STATS_RSN_CNT: has_count = smc_attr_number(attr, &count); break;
		}
	}
	side = &stats->side[is_server ? SMC_SIDE_SERVER : SMC_SIDE_CLIENT];
	reason.count = (uint16_t)count;
	if (has_code && has_count && side->n_reasons < SMC_STAT_REASONS)
		side->reasons[side->n_reasons++] = reason;
	return 0;
}

static bool is_below(const struct smc_stats *stats, const struct smc_stats *base)
{
	for (size_t t = 0; t < SMC_TECHS; t++)
		for (size_t i = 0; i < SMC_STAT_COUNT; i++)
			if (!smc_stat_is_gauge(i) &&
			    stats->tech[t].value[i] < base->tech[t].value[i])
				return true;
	for (size_t s = 0; s < SMC_SIDES; s++)
		if (stats->side[s].handshake_errors < base->side[s].handshake_errors ||
		    stats->side[s].fallbacks < base->side[s].fallbacks)
			return true;
	return false;
}

static void side_since(struct smc_side_stats *side, const struct smc_side_stats *base)
{
	size_t kept = 0;

	side->handshake_errors -= base->handshake_errors;
	side->fallbacks -= base->fallbacks;
	for (size_t i = 0; i < side->n_reasons; i++) {
		struct smc_reason_count reason = side->reasons[i];

		for (size_t j = 0; j < base->n_reasons; j++)
			if (base->reasons[j].code == reason.code)
				reason.count = (uint16_t)(reason.count - base->reasons[j].count);
		if (reason.count)
			side->reasons[kept++] = reason;
	}
	side->n_reasons = kept;
}

int smc_stats_since(struct smc_stats *stats, const struct smc_stats *base)
{
	if (is_below(stats, base))
		return -ERANGE;
	for (size_t t = 0; t < SMC_TECHS; t++)
		for (size_t i = 0; i < SMC_STAT_COUNT; i++)
			if (!smc_stat_is_gauge(i))
				stats->tech[t].value[i] -= base->tech[t].value[i];
	for (size_t s = 0; s < SMC_SIDES; s++)
		side_since(&stats->side[s], &base->side[s]);
	return 0;
}
