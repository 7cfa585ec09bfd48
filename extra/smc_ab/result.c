// SPDX-License-Identifier: MIT
/* The result of a comparison, for people and as JSON. */
#include "smc_ab/result.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/words.h"
#include "out/table.h"
#include "smc/reason.h"

/* ---- judgement ---- */

/* @offset: of the number in struct ab_run */
static void compare(const struct ab_result *result, size_t offset, bool is_more_better,
		    struct numbers *out)
{
	double *values AUTO_FREE = xcalloc(2 * result->count, sizeof(*values));

	for (size_t i = 0; i < result->count; i++) {
		const char *tcp = (const char *)&result->pairs[i].tcp;
		const char *smc = (const char *)&result->pairs[i].smc;

		values[i] = *(const double *)(tcp + offset);
		values[result->count + i] = *(const double *)(smc + offset);
	}
	numbers_compare(out, values, values + result->count, result->count, is_more_better);
}

static bool is_counted(const struct sightings *seen)
{
	return seen->counted.smcd || seen->counted.smcr;
}

bool result_used_smc(const struct sightings *seen, bool trusts_counters)
{
	return seen->sockets.smcd || seen->sockets.smcr || (trusts_counters && is_counted(seen));
}

static enum ab_verdict judge(const struct ab_result *result)
{
	if (result->used < result->count)
		return AB_SMC_NOT_USED;
	if (!result->judged->has_interval)
		return AB_TOO_FEW;
	if (result->judged->low > 1)
		return AB_SMC_BETTER;
	return result->judged->high < 1 ? AB_TCP_BETTER : AB_NO_DIFFERENCE;
}

void result_judge(struct ab_result *result)
{
	const struct ab_options *options = result->options;

	compare(result, offsetof(struct ab_run, seconds), false, &result->seconds);
	compare(result, offsetof(struct ab_run, cpu_seconds), false, &result->cpu_seconds);
	compare(result, offsetof(struct ab_run, switches), false, &result->switches);
	if (options->metric)
		compare(result, offsetof(struct ab_run, metric), !options->is_lower_better,
			&result->metric);
	result->judged = options->metric ? &result->metric : &result->seconds;
	/* Trust the counters only if no other program changes them during runs over TCP. */
	result->trusts_counters = true;
	for_each(pair, result->pairs, result->count)
		result->trusts_counters &= !is_counted(&pair->tcp.seen);
	result->used = 0;
	for_each(pair, result->pairs, result->count)
		result->used += result_used_smc(&pair->smc.seen, result->trusts_counters);
	result->verdict = judge(result);
}

/* Kind of SMC that the runs used, as a heading; "smc_run" if they used none. */
static const char *title(const struct ab_result *result)
{
	bool has_d = false, has_r = false;

	for_each(pair, result->pairs, result->count) {
		const struct sightings *seen = &pair->smc.seen;

		has_d |= seen->sockets.smcd || (result->trusts_counters && seen->counted.smcd);
		has_r |= seen->sockets.smcr || (result->trusts_counters && seen->counted.smcr);
	}
	if (has_d)
		return has_r ? "SMC-D/R" : "SMC-D";
	return has_r ? "SMC-R" : "smc_run";
}

/* Fallbacks in all runs over SMC, seen on sockets or counted. @reason: receives the first one */
static uint64_t fallbacks(const struct ab_result *result, const struct sightings **first)
{
	uint64_t seen = 0, counted = 0;

	*first = NULL;
	for (size_t i = 0; i < result->count; i++) {
		const struct sightings *run = &result->pairs[i].smc.seen;

		seen += run->sockets.tcp;
		counted += run->counted.tcp;
		if (!*first && run->reason && (run->sockets.tcp || run->counted.tcp))
			*first = run;
	}
	return !seen && result->trusts_counters ? counted : seen;
}

/* ---- text ---- */

/* Digits after the decimal point, for three significant ones. */
static int digits(double value)
{
	if (value < 10)
		return 2;
	return value < 100 ? 1 : 0;
}

static void put_seconds(struct out_text *text, double seconds)
{
	double value = seconds < 1 ? seconds * 1000 : seconds;

	out_printf(text, "%.*f %s", digits(value), value, seconds < 1 ? "ms" : "s");
}

static void put_judged(struct out_text *text, const struct ab_result *result, double value)
{
	if (result->options->metric)
		out_printf(text, "%.6g", value);
	else
		put_seconds(text, value);
}

/* Between values: on a terminal each has a line. */
static const char *gap(const struct ab_result *result)
{
	return result->width ? "\n" : "   ";
}

void result_put_ratio(struct out_text *text, const struct numbers *numbers)
{
	out_printf(text, "%.*f \u00d7", digits(numbers->ratio), numbers->ratio);
	if (numbers->has_interval)
		out_printf(text, " (95 %%: %.*f\u2013%.*f)", digits(numbers->low), numbers->low,
			   digits(numbers->high), numbers->high);
}

/* Both values use the unit of the larger one. */
static void put_cpu(struct out_text *text, const struct ab_result *result)
{
	const struct numbers *cpu = &result->cpu_seconds;
	bool is_small = cpu->one < 1 && cpu->other < 1;
	double one = cpu->one * (is_small ? 1000 : 1), other = cpu->other * (is_small ? 1000 : 1);

	out_printf(text, "%sCPU %.*f \u2192 %.*f %s", gap(result), digits(one), one, digits(other),
		   other, is_small ? "ms" : "s");
}

static void put_fallbacks(struct out_text *text, const struct ab_result *result)
{
	const struct sightings *first;
	uint64_t count = fallbacks(result, &first);
	const struct smc_reason *reason = first ? smc_reason_find(first->reason) : NULL;

	if (!count)
		return;
	out_printf(text, "%" PRIu64 " socket%s fell back to TCP", count, plural_s(count));
	if (first)
		out_printf(text, ", the first with reason 0x%08" PRIx32, first->reason);
	if (reason)
		out_printf(text, " %s: %s", reason->symbol, reason->meaning);
	if (first)
		out_printf(text, "; 'smc_chk explain 0x%08" PRIx32, first->reason);
	if (first && first->peer_reason)
		out_printf(text, "/0x%08" PRIx32, first->peer_reason);
	out_str(text, first ? "'.\n" : ".\n");
}

static void put_verdict(struct out_text *text, const struct ab_result *result)
{
	const char *better = result->options->metric ? "better" : "faster";

	if (result->verdict == AB_SMC_BETTER)
		out_printf(text, "%s is %s.\n", title(result), better);
	else if (result->verdict == AB_TCP_BETTER)
		out_printf(text, "TCP is %s.\n", better);
	else if (result->verdict == AB_NO_DIFFERENCE)
		out_str(text, "No difference shown: the interval includes 1.\n");
	else if (result->verdict == AB_SMC_NOT_USED)
		out_printf(text, "No verdict: %s.\n",
			   result->used ? "not every run used SMC" : "SMC was not used");
	else if (result->count < NUMBERS_PAIRS)
		out_printf(text, "No verdict: it takes at least %d pairs.\n", NUMBERS_PAIRS);
	else
		out_str(text, "No verdict: values of 0 have no ratio.\n");
}

void result_text(struct out_text *text, const struct ab_result *result)
{
	out_str(text, "TCP ");
	put_judged(text, result, result->judged->one);
	out_printf(text, "%s%s ", gap(result), title(result));
	put_judged(text, result, result->judged->other);
	if (result->judged->ratio > 0) {
		out_str(text, gap(result));
		result_put_ratio(text, result->judged);
	}
	put_cpu(text, result);
	out_printf(text, "%s%zu of %zu run%s used SMC\n", gap(result), result->used, result->count,
		   plural_s(result->count));
	if (result->options->metric) {
		out_str(text, "Time ");
		put_seconds(text, result->seconds.one);
		out_str(text, " \u2192 ");
		put_seconds(text, result->seconds.other);
		out_str(text, ", context");
	} else {
		out_str(text, "Context");
	}
	out_printf(text, " switches %.0f \u2192 %.0f%s", result->switches.one,
		   result->switches.other, result->width ? "\n" : ". ");
	put_verdict(text, result);
	put_fallbacks(text, result);
}

/* ---- JSON ---- */

static json_t *json_numbers(const struct numbers *numbers)
{
	json_t *ratio = numbers->ratio > 0 ? json_real(numbers->ratio) : NULL, *interval = NULL;

	if (numbers->has_interval)
		interval = json_pack("[f, f]", numbers->low, numbers->high);
	return json_pack("{s:f, s:f, s:o*, s:o*}", "tcp", numbers->one, "smc", numbers->other,
			 "ratio", ratio, "interval", interval);
}

static json_t *json_sockets(const struct sockets *sockets)
{
	return json_pack("{s:I, s:I, s:I}", "smcd", (json_int_t)sockets->smcd, "smcr",
			 (json_int_t)sockets->smcr, "tcp", (json_int_t)sockets->tcp);
}

static json_t *json_run(const struct ab_result *result, const struct ab_run *run)
{
	const struct sightings *seen = &run->seen;
	json_t *counted = seen->has_counters ? json_sockets(&seen->counted) : NULL;
	json_t *reason = seen->reason ? json_integer(seen->reason) : NULL;
	json_t *metric = result->options->metric ? json_real(run->metric) : NULL;

	return json_pack("{s:f, s:f, s:f, s:o, s:o*, s:o*, s:o*}", "wall_seconds", run->seconds,
			 "cpu_seconds", run->cpu_seconds, "context_switches", run->switches,
			 "sockets", json_sockets(&seen->sockets), "counted", counted, "reason",
			 reason, "metric", metric);
}

static json_t *json_pairs(const struct ab_result *result)
{
	json_t *array = json_array();

	for_each(pair, result->pairs, result->count)
		json_array_append_new(array,
				      json_pack("{s:b, s:o, s:o}", "smc_first", pair->is_smc_first,
						"tcp", json_run(result, &pair->tcp), "smc",
						json_run(result, &pair->smc)));
	return array;
}

static json_t *json_command(char *const *argv)
{
	json_t *array = json_array();

	for (; *argv; argv++)
		json_array_append_new(array, out_json_str(*argv));
	return array;
}

const char *const result_verdicts[] = {
	[AB_SMC_BETTER] = "smc",  [AB_TCP_BETTER] = "tcp",	  [AB_NO_DIFFERENCE] = "none",
	[AB_TOO_FEW] = "too_few", [AB_SMC_NOT_USED] = "not_used",
};

json_t *result_json(const struct ab_result *result)
{
	const struct ab_options *options = result->options;
	json_t *doc = json_pack("{s:s, s:o, s:o*, s:i, s:I, s:s, s:o, s:o, s:o}", "schema",
				AB_SCHEMA, "command", json_command(result->argv), "server",
				options->server ? out_json_str(options->server) : NULL, "count",
				options->pairs, "used_smc", (json_int_t)result->used, "verdict",
				result_verdicts[result->verdict], "wall_seconds",
				json_numbers(&result->seconds), "cpu_seconds",
				json_numbers(&result->cpu_seconds), "context_switches",
				json_numbers(&result->switches));

	if (options->metric) {
		json_object_set_new(doc, "metric", json_numbers(&result->metric));
		json_object_set_new(doc, "lower_is_better", json_boolean(options->is_lower_better));
	}
	json_object_set_new(doc, "argv", json_command(options->words));
	json_object_set_new(doc, "pairs", json_pairs(result));
	return doc;
}
