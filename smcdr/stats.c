// SPDX-License-Identifier: MIT
/* stats: what happened in this network namespace. */
#include "smcdr/stats.h"

#include <errno.h>
#include <time.h>

#include "cli/cli.h"
#include "host/record.h"
#include "smcdr/baseline.h"
#include "smcdr/run.h"

static int on_stats(const struct nlmsghdr *nlh, void *arg)
{
	return smc_stats_decode(arg, nlh);
}

static int on_fback(const struct nlmsghdr *nlh, void *arg)
{
	return smc_fback_decode(arg, nlh);
}

static int load(struct cmd *cmd, struct smc_stats *stats)
{
	int ret = cmd_dump(cmd, SMC_ABI_GET_STATS, on_stats, stats, "the statistics");

	return ret ? ret : cmd_dump(cmd, SMC_ABI_GET_FBACK_STATS, on_fback, stats,
				    "the fallback statistics");
}

/* Without a good baseline the numbers are those since the beginning: a word, not a failure. */
static bool subtract_baseline(struct cmd *cmd, struct smc_stats *stats)
{
	static const char kind[] = "showing numbers since the beginning";
	const struct cli_tool *tool = cmd->variant->tool;
	struct smc_stats base;
	struct smc_err err;
	int ret = baseline_load(&base, tool->name, &err);

	if (ret == -ENOENT)
		return false;
	if (ret) {
		cli_note(tool, "%s; %s", err.text, kind);
		return false;
	}
	if (!smc_stats_since(stats, &base))
		return true;
	cli_note(tool, "the kernel's counting has begun anew since the last reset; %s", kind);
	return false;
}

static int print_json(struct cmd *cmd, const struct smc_stats *stats, bool is_since_reset)
{
	json_t *doc = cmd_document(cmd, "stats");

	if (!doc || json_object_set_new(doc, "since_reset", json_boolean(is_since_reset)) ||
	    stats_json(doc, stats, cmd->variant))
		return cmd_no_memory(cmd);
	return 0;
}

static int print_compat_json(struct cmd *cmd, const struct smc_stats *stats)
{
	json_decref(cmd->json);
	cmd->json = stats_compat_json(stats, cmd->variant);
	return cmd->json ? 0 : cmd_no_memory(cmd);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The first round has nothing to compare with: the header alone. */
static int print_rates(struct cmd *cmd, struct smc_stats *stats)
{
	double seconds = now(), past = seconds - cmd->rates->seconds;
	struct smc_stats delta = *stats;
	bool is_first = !cmd->round;

	if (is_first && !cmd->is_json)
		stats_rates_header(&cmd->text);
	if (!is_first && smc_stats_since(&delta, &cmd->rates->last))
		return smc_err_say(cmd->err, ERANGE, "the kernel's counting has begun anew");
	if (!is_first && cmd->is_json && !cmd_document(cmd, "stats-rates"))
		return cmd_no_memory(cmd);
	if (!is_first)
		stats_rates(&cmd->text, cmd->json, &delta, cmd->variant, past);
	cmd->rates->last = *stats;
	cmd->rates->seconds = seconds;
	return 0;
}

enum what { SHOW, RESET, JSON };

static int parse(struct cmd *cmd, enum what *what)
{
	const char *word = cmd->argc ? cmd->argv[0] : "show";

	if (cmd->argc > 1)
		return cmd_usage(cmd, "stats: show | reset | json");
	if (cmd_is(word, "show"))
		*what = SHOW;
	else if (cmd_is(word, "reset"))
		*what = RESET;
	else if (cmd_is(word, "json"))
		*what = JSON;
	else
		return cmd_usage(cmd, "stats: show | reset | json");
	if (*what == RESET && record_root())
		return record_refuse(cmd->err);
	if (cmd->watch_seconds > 0 && (*what != SHOW || cmd->is_metrics))
		return cmd_usage(cmd, "stats: --watch is for show without --metrics");
	if (cmd->is_metrics && (*what != SHOW || cmd->is_json))
		return cmd_usage(cmd, "stats: --metrics is for show without --json");
	return 0;
}

int cmd_run_stats(struct cmd *cmd)
{
	struct smc_stats stats = { 0 }, total;
	bool is_since_reset = false;
	enum what what = SHOW;
	int ret = parse(cmd, &what);

	if (!ret)
		ret = load(cmd, &stats);
	if (ret)
		return ret;
	if (cmd->watch_seconds > 0)
		return print_rates(cmd, &stats);
	total = stats;
	/* A reset would look like a restart to those who collect metrics; this host's is not the record's. */
	if (!cmd->is_absolute && !cmd->is_metrics && !record_root())
		is_since_reset = subtract_baseline(cmd, &stats);
	if (cmd->is_metrics)
		stats_metrics(&cmd->text, &stats);
	else if (what == JSON)
		ret = print_compat_json(cmd, &stats);
	else if (cmd->is_json)
		ret = print_json(cmd, &stats, is_since_reset);
	else
		stats_print(&cmd->text, &stats, cmd->variant, cmd->details);
	if (ret || what != RESET)
		return ret;
	/* Numbers that nobody could read must not be subtracted from then on. */
	ret = cmd_write(cmd);
	if (!ret)
		ret = baseline_save(&total, cmd->variant->tool->name, cmd->err);
	return ret;
}
