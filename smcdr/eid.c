// SPDX-License-Identifier: MIT
/* ueid, seid, hs: the names and switches that this system negotiates with. */
#include "smcdr/cmd.h"

#include "settings/eids.h"

/* ---- user EIDs ---- */

static int show_ueids(struct cmd *cmd)
{
	struct smc_eids eids = { .count = 0 };
	int ret = cmd_open(cmd);
	json_t *array;

	if (!ret)
		ret = smc_eids_read(&eids, cmd->nl, cmd->err);
	if (!ret && cmd->is_json) {
		array = json_array();
		for (size_t i = 0; i < eids.count; i++)
			json_array_append_new(array, out_json_str(eids.eids[i]));
		return cmd_document(cmd, "ueid", json_pack("{s:o}", "ueids", array));
	}
	for (size_t i = 0; !ret && i < eids.count; i++) {
		out_escaped(&cmd->text, eids.eids[i], SMC_EID_SIZE);
		out_str(&cmd->text, "\n");
	}
	return ret;
}

/* The errors of the requests have meanings of their own: open before. */
static int prepare(struct cmd *cmd, const char *eid)
{
	int ret = smc_eid_check(eid, cmd->err);

	return ret ? ret : cmd_open(cmd);
}

static int add_ueid(struct cmd *cmd, const char *eid)
{
	int ret = prepare(cmd, eid);

	return ret ? ret : smc_eid_add(cmd->nl, eid, cmd->err);
}

static int del_ueid(struct cmd *cmd, const char *eid)
{
	bool has_seid = false;
	int ret = prepare(cmd, eid);

	if (!ret)
		ret = smc_eid_remove(cmd->nl, eid, &has_seid, cmd->err);
	if (has_seid)
		cli_note(cmd->variant->tool,
			 "the last user EID is gone, so the system EID is enabled now");
	return ret;
}

static int flush_ueids(struct cmd *cmd)
{
	int ret = cmd_open(cmd);

	return ret ? ret : smc_eids_flush(cmd->nl, cmd->err);
}

/* A command that changes something, with @count words behind it. */
static bool changes(struct cmd *cmd, const char *keyword, int count, int *ret)
{
	*ret = cmd_changes(cmd);
	return !*ret && cmd->argc == count + 1 && cmd_is(cmd->argv[0], keyword);
}

int cmd_run_ueid(struct cmd *cmd)
{
	int ret;

	if (!cmd->argc || (cmd->argc == 1 && cmd_is(cmd->argv[0], "show")))
		return show_ueids(cmd);
	if (changes(cmd, "add", 1, &ret))
		return add_ueid(cmd, cmd->argv[1]);
	if (changes(cmd, "del", 1, &ret))
		return del_ueid(cmd, cmd->argv[1]);
	if (changes(cmd, "flush", 0, &ret))
		return flush_ueids(cmd);
	return ret ? ret : cmd_usage(cmd, "ueid: expected show | add EID | del EID | flush");
}

/* ---- system EID ---- */

static int show_seid(struct cmd *cmd)
{
	struct smc_seid seid;
	int ret = cmd_open(cmd);

	if (!ret)
		ret = smc_seid_read(&seid, cmd->nl, cmd->err);
	if (ret)
		return ret;
	if (cmd->is_json && !seid.has_eid)
		return cmd_document(cmd, "seid", json_pack("{s:b}", "available", false));
	if (cmd->is_json)
		return cmd_document(cmd, "seid",
				    json_pack("{s:b, s:o, s:b}", "available", true, "seid",
					      out_json_str(seid.eid), "enabled", seid.is_enabled));
	if (!seid.has_eid) {
		out_str(&cmd->text, "n/a\n");
		return 0;
	}
	out_escaped(&cmd->text, seid.eid, sizeof(seid.eid));
	out_str(&cmd->text, seid.is_enabled ? " [enabled]\n" : " [disabled]\n");
	return 0;
}

static int switch_seid(struct cmd *cmd, bool is_enable)
{
	int ret = cmd_open(cmd);

	return ret ? ret : smc_seid_switch(cmd->nl, is_enable, cmd->err);
}

int cmd_run_seid(struct cmd *cmd)
{
	int ret;

	if (!cmd->argc || (cmd->argc == 1 && cmd_is(cmd->argv[0], "show")))
		return show_seid(cmd);
	if (changes(cmd, "enable", 0, &ret))
		return switch_seid(cmd, true);
	if (changes(cmd, "disable", 0, &ret))
		return switch_seid(cmd, false);
	return ret ? ret : cmd_usage(cmd, "seid: expected show | enable | disable");
}

/* ---- handshake limitation ---- */

static int show_hs(struct cmd *cmd)
{
	bool is_enabled;
	int ret = cmd_open(cmd);

	if (!ret)
		ret = smc_hs_read(&is_enabled, cmd->nl, cmd->err);
	if (ret)
		return ret;
	if (cmd->is_json)
		return cmd_document(cmd, "hs", json_pack("{s:b}", "enabled", is_enabled));
	out_printf(&cmd->text, "Handshake limitation: %s\n", is_enabled ? "enabled" : "disabled");
	return 0;
}

static int switch_hs(struct cmd *cmd, bool is_enable)
{
	int ret = cmd_open(cmd);

	return ret ? ret : smc_hs_switch(cmd->nl, is_enable, cmd->err);
}

int cmd_run_hs(struct cmd *cmd)
{
	int ret;

	if (!cmd->argc || (cmd->argc == 1 && cmd_is(cmd->argv[0], "show")))
		return show_hs(cmd);
	if (changes(cmd, "enable", 0, &ret))
		return switch_hs(cmd, true);
	if (changes(cmd, "disable", 0, &ret))
		return switch_hs(cmd, false);
	return ret ? ret : cmd_usage(cmd, "hs: expected show | enable | disable");
}
