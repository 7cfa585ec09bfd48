// SPDX-License-Identifier: MIT
/* stats: counters of this network namespace. */
#include "smcdr/cmd.h"

#include "host/record.h"

/* Without a usable baseline, print the counters since boot, with a notice; this is no failure. */
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
	cli_note(tool, "the kernel's counters were restarted since the last reset; %s", kind);
	return false;
}

enum stats_command { SHOW, RESET, JSON };

static int parse(struct cmd *cmd, enum stats_command *command)
{
	static const char *const words[] = { "show", "reset", "json" };
	const char *word = cmd->argc ? cmd->argv[0] : "show";

	while (*command <= JSON && !cmd_is(word, words[*command]))
		++*command;
	if (cmd->argc > 1 || *command > JSON)
		return cmd_usage(cmd, "stats: expected show | reset | json");
	if (*command == RESET && record_root())
		return record_refuse(cmd->err);
	if (cmd->is_all_netns && *command != SHOW)
		return cmd_usage(cmd, "stats: --all-netns is for show");
	if (cmd->is_metrics && (*command != SHOW || cmd->is_json))
		return cmd_usage(cmd, "stats: --metrics is for show without --json");
	return 0;
}

int cmd_run_stats(struct cmd *cmd)
{
	struct smc_stats stats = { 0 }, total;
	bool is_since_reset = false;
	enum stats_command command = SHOW;
	int ret = parse(cmd, &command);

	if (!ret && cmd->is_all_netns)
		return stats_all_netns(cmd);
	if (!ret)
		ret = stats_load(cmd, &stats);
	if (ret)
		return ret;
	total = stats;
	/* Collectors would take a reset for a restart; a recorded host has no baseline. */
	if (!cmd->is_absolute && !cmd->is_metrics && !record_root())
		is_since_reset = subtract_baseline(cmd, &stats);
	if (cmd->is_metrics)
		stats_metrics(&cmd->text, &(const struct stats_of){ &stats, NULL, 0 }, 1);
	else if (command == JSON)
		cmd->json = stats_compat_json(&stats, cmd->variant);
	else if (cmd->is_json)
		cmd_document(cmd, "stats", stats_json(&stats, cmd->variant, is_since_reset));
	else
		stats_print(&cmd->text, &stats, cmd->variant, cmd->details, cmd->width);
	if (command != RESET)
		return 0;
	/* Counters that could not be printed must not become the baseline. */
	ret = cmd_write(cmd) ?: baseline_save(&total, cmd->variant->tool->name, cmd->err);
	/* Scripts for smc-tools 1.8.5 treat output on standard error as a failure. */
	if (!ret && isatty(STDERR_FILENO))
		cli_note(cmd->variant->tool,
			 "counting starts again from zero; -a still counts from the beginning");
	return ret;
}
