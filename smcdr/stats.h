/* SPDX-License-Identifier: MIT */
/* The forms in which statistics are printed. */
#ifndef SMC_CMD_STATS_H
#define SMC_CMD_STATS_H

#include "smcdr/cmd.h"
#include "smc/stats.h"

/** stats_print() - the report that people know from smc-tools, more with @has_details */
void stats_print(struct out_text *text, const struct smc_stats *stats,
		 const struct smc_variant *variant, bool has_details);

/** stats_si() - a number in at most six characters: "999", "1.234K", "100.0M". Return: @buf */
const char *stats_si(uint64_t value, char buf[16]);

/** stats_compat_json() - document of "stats json" in smc-tools 1.8.5. NULL without memory */
json_t *stats_compat_json(const struct smc_stats *stats, const struct smc_variant *variant);

/** stats_json() - add all members to the document. Return: 0, -ENOMEM */
int stats_json(json_t *doc, const struct smc_stats *stats, const struct smc_variant *variant);

/** stats_metrics() - Prometheus' text form, SMC-D and SMC-R in one */
void stats_metrics(struct out_text *text, const struct smc_stats *stats);

/** stats_rates() - one line, or members of @doc, about what happened within @seconds */
void stats_rates(struct out_text *text, json_t *doc, const struct smc_stats *delta,
		 const struct smc_variant *variant, double seconds);

/** stats_rates_header() - the line above them */
void stats_rates_header(struct out_text *text);

/** stats_reason_name() - name as smc-tools print it, or the number, into @buf */
const char *stats_reason_name(uint32_t code, char buf[16]);

#endif
