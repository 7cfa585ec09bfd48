// SPDX-License-Identifier: MIT
/* Doctor: the kernel's statistics, compared with thresholds. */

#include "base/array.h"
#include "smc/reason.h"
#include "smc_chk/doctor/findings.h"

#define CHECK "traffic"

/* Fewer calls mean little: they may be a test, or the first seconds of a service. */
#define LEAST_CALLS 1000
#define LEAST_BUFFERS 100
#define LEAST_CONNECTIONS 100

/*
 * Thresholds in percent. A program that waits for room in every tenth send spends its time in the
 * scheduler. A buffer smaller than requested is one too many, except for a moment of low memory. If
 * a tenth falls back, some setup is wrong; single peers without SMC are not this host's problem.
 */
#define SHARE_WAITS 10
#define SHARE_DOWNGRADED 1
#define SHARE_FALLBACKS 10

static const char *const names[] = { [SMC_TECH_D] = "SMC-D", [SMC_TECH_R] = "SMC-R" };

/* 0 to 100, rounded for display. */
static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/** struct wait - a reason why sends wait: own buffer full, or the peer's */
static const struct wait {
	enum smc_stat_event own, peer;
	const char *what, *why;
} waits[] = {
	{ SMC_EVENT_FULL, SMC_EVENT_FULL_PEER, "a full buffer:",
	  "waiting costs more than memory; larger buffers, or a peer that reads sooner" },
	{ SMC_EVENT_SMALL, SMC_EVENT_SMALL_PEER, "a buffer smaller than one send:",
	  "no buffer takes such a send without waiting for the peer" },
};

/* Return: true if something was reported */
static bool check_waits(struct doctor *doc, int tech, const uint64_t *v)
{
	const uint64_t *event = v + SMC_STAT_TX_EVENT;
	uint64_t sends = v[SMC_STAT_TX_CNT];
	bool is_bad = false;

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		double own = percent(event[waits[i].own], sends);
		double peer = percent(event[waits[i].peer], sends);

		if (own < SHARE_WAITS && peer < SHARE_WAITS)
			continue;
		is_bad = true;
		doctor_say(doc, DOCTOR_WARNING, CHECK, names[tech],
			   "smc_chk connect PEER --tcp-too",
			   "%s here in %.0f %% of %" PRIu64 " sends, on the peer in %.0f %% "
			   "(threshold: %d %%): %s",
			   waits[i].what, own, sends, peer, SHARE_WAITS, waits[i].why);
	}
	return is_bad;
}

static bool check_downgraded(struct doctor *doc, int tech, const uint64_t *v)
{
	uint64_t downgraded = v[SMC_STAT_TX_EVENT + SMC_EVENT_DOWNGRADE] +
			      v[SMC_STAT_RX_EVENT + SMC_EVENT_DOWNGRADE];
	uint64_t all =
		v[SMC_STAT_TX_EVENT + SMC_EVENT_ALLOC] + v[SMC_STAT_RX_EVENT + SMC_EVENT_ALLOC];

	all = all > downgraded ? all : downgraded;
	if (all < LEAST_BUFFERS || percent(downgraded, all) < SHARE_DOWNGRADED)
		return false;
	doctor_say(doc, DOCTOR_WARNING, CHECK, names[tech],
		   tech == SMC_TECH_R ? "sysctl -w net.smc.smcr_buf_type=2" :
					"ask for smaller buffers, or free memory",
		   "%.0f %% of %" PRIu64
		   " new buffers were smaller than requested (threshold: %d %%): "
		   "the kernel finds no contiguous memory of that size",
		   percent(downgraded, all), all, SHARE_DOWNGRADED);
	return true;
}

static uint64_t connections(const uint64_t *v)
{
	return v[SMC_STAT_CLNT_V1] + v[SMC_STAT_CLNT_V2] + v[SMC_STAT_SRV_V1] + v[SMC_STAT_SRV_V2];
}

/* The most frequent reason; 0 if none is known. */
static uint32_t main_reason(const struct smc_stats *stats)
{
	uint32_t code = 0;
	uint16_t most = 0;

	for (int side = 0; side < SMC_SIDES; side++) {
		for_each(reason, stats->side[side].reasons, stats->side[side].n_reasons) {
			if (reason->count > most) {
				most = reason->count;
				code = reason->code;
			}
		}
	}
	return code;
}

static void check_fallbacks(struct doctor *doc)
{
	const struct smc_stats *stats = &doc->facts->stats;
	uint64_t fell =
		stats->side[SMC_SIDE_CLIENT].fallbacks + stats->side[SMC_SIDE_SERVER].fallbacks;
	uint64_t all = fell + connections(stats->tech[SMC_TECH_D].value) +
		       connections(stats->tech[SMC_TECH_R].value);
	const struct smc_reason *reason = smc_reason_find(main_reason(stats));
	const char *remedy = "smcr -d stats";

	if (all < LEAST_CONNECTIONS)
		return;
	if (percent(fell, all) < SHARE_FALLBACKS) {
		doctor_ok(doc, CHECK, "fallbacks", "%.1f %% of %" PRIu64 " connections fell back",
			  percent(fell, all), all);
		return;
	}
	if (reason)
		remedy = doctor_remedy(doc, "smc_chk explain 0x%08" PRIx32, reason->code);
	doctor_say(doc, DOCTOR_WARNING, CHECK, "fallbacks", remedy,
		   "%.0f %% of %" PRIu64 " connections fell back (threshold: %d %%)%s%s%s%s",
		   percent(fell, all), all, SHARE_FALLBACKS, reason ? ", most often by " : "",
		   reason ? reason->symbol : "", reason ? ", " : "", reason ? reason->meaning : "");
}

void doctor_traffic(struct doctor *doc)
{
	if (doc->facts->shim.n_learned)
		doctor_note(doc, CHECK, "learned",
			    "destinations that use TCP by choice: %d, see smcss --learned",
			    doc->facts->shim.n_learned);
	if (!doc->facts->has_stats)
		return;
	for (int tech = 0; tech < SMC_TECHS; tech++) {
		const uint64_t *v = doc->facts->stats.tech[tech].value;
		bool is_bad = check_downgraded(doc, tech, v);

		if (v[SMC_STAT_TX_CNT] < LEAST_CALLS)
			continue;
		is_bad |= check_waits(doc, tech, v);
		if (!is_bad)
			doctor_ok(doc, CHECK, names[tech],
				  "few of %" PRIu64 " sends had to wait for a buffer",
				  v[SMC_STAT_TX_CNT]);
	}
	check_fallbacks(doc);
}
