// SPDX-License-Identifier: MIT
/* ueid, seid, hs: EIDs and handshake limitation. */
#include "smcdr/cmd.h"

#include "settings/eids.h"

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

static int del_ueid(struct cmd *cmd, const char *eid)
{
	bool has_seid = false;
	int ret = smc_eid_remove(cmd->nl, eid, &has_seid, cmd->err);

	if (has_seid)
		cli_note(cmd->variant->tool,
			 "the last user EID was removed, so the system EID is now enabled");
	return ret;
}

int cmd_run_ueid(struct cmd *cmd)
{
	bool is_add, is_del;
	int ret;

	if (cmd_is_show(cmd))
		return show_ueids(cmd);
	ret = cmd_changes(cmd);
	if (ret)
		return ret;
	is_add = cmd->argc == 2 && cmd_is(cmd->argv[0], "add");
	is_del = cmd->argc == 2 && cmd_is(cmd->argv[0], "del");
	if (!is_add && !is_del && (cmd->argc > 1 || !cmd_is(cmd->argv[0], "flush")))
		return cmd_usage(cmd, "ueid: expected show | add EID | del EID | flush");
	if (is_add || is_del)
		ret = smc_eid_check(cmd->argv[1], cmd->err);
	if (!ret)
		ret = cmd_open(cmd);
	if (ret)
		return ret;
	if (is_add)
		return smc_eid_add(cmd->nl, cmd->argv[1], cmd->err);
	return is_del ? del_ueid(cmd, cmd->argv[1]) : smc_eids_flush(cmd->nl, cmd->err);
}

/* Common part of seid and hs. */
static int run_switch(struct cmd *cmd, const char *object, int (*show)(struct cmd *cmd),
		      int (*set)(struct smc_genl *nl, bool is_enable, struct smc_err *err))
{
	bool is_enable;
	int ret;

	if (cmd_is_show(cmd))
		return show(cmd);
	ret = cmd_changes(cmd);
	if (ret)
		return ret;
	is_enable = cmd_is(cmd->argv[0], "enable");
	if (cmd->argc > 1 || (!is_enable && !cmd_is(cmd->argv[0], "disable")))
		return cmd_usage(cmd, "%s: expected show | enable | disable", object);
	return cmd_open(cmd) ?: set(cmd->nl, is_enable, cmd->err);
}

static int show_seid(struct cmd *cmd)
{
	struct smc_seid seid;
	int ret = cmd_open(cmd) ?: smc_seid_read(&seid, cmd->nl, cmd->err);

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

int cmd_run_seid(struct cmd *cmd)
{
	return run_switch(cmd, "seid", show_seid, smc_seid_switch);
}

static int show_hs(struct cmd *cmd)
{
	bool is_enabled;
	int ret = cmd_open(cmd) ?: smc_hs_read(&is_enabled, cmd->nl, cmd->err);

	if (ret)
		return ret;
	if (cmd->is_json)
		return cmd_document(cmd, "hs", json_pack("{s:b}", "enabled", is_enabled));
	out_printf(&cmd->text, "Handshake limitation: %s\n", is_enabled ? "enabled" : "disabled");
	return 0;
}

int cmd_run_hs(struct cmd *cmd)
{
	return run_switch(cmd, "hs", show_hs, smc_hs_switch);
}
