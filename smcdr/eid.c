// SPDX-License-Identifier: MIT
/* ueid, seid, hs: the names and switches that this system negotiates with. */
#include "smcdr/run.h"
#include "smc/eid.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* ---- user EIDs ---- */

struct eids {
	char eids[64][SMC_EID_SIZE];
	size_t count;
};

static int on_ueid(const struct nlmsghdr *nlh, void *arg)
{
	struct eids *eids = arg;

	if (eids->count == sizeof(eids->eids) / sizeof(eids->eids[0]))
		return 0;
	return smc_ueid_decode(eids->eids[eids->count++], nlh);
}

static int show_ueids(struct cmd *cmd)
{
	struct eids eids = { .count = 0 };
	int ret = cmd_dump(cmd, SMC_ABI_DUMP_UEID, on_ueid, &eids, "the user EIDs");
	json_t *array = NULL;

	if (ret)
		return ret;
	if (cmd->is_json) {
		array = json_array();
		if (!array || !cmd_document(cmd, "ueid") ||
		    json_object_set_new(cmd->json, "ueids", array))
			return cmd_no_memory(cmd);
	}
	for (size_t i = 0; i < eids.count; i++) {
		if (array) {
			json_array_append_new(array, out_json_str(eids.eids[i]));
			continue;
		}
		out_escaped(&cmd->text, eids.eids[i], strlen(eids.eids[i]));
		out_str(&cmd->text, "\n");
	}
	return 0;
}

/* The errors of the requests have meanings of their own: open before. */
static int prepare(struct cmd *cmd, char padded[SMC_EID_SIZE], const char *eid)
{
	int ret = smc_eid_check(eid, cmd->err);

	if (ret)
		return ret;
	smc_eid_pad(padded, eid);
	return cmd_open(cmd);
}

static int add_ueid(struct cmd *cmd, const char *eid)
{
	char padded[SMC_EID_SIZE], doing[64];
	int ret = prepare(cmd, padded, eid);

	if (ret)
		return ret;
	snprintf(doing, sizeof(doing), "add EID '%s'", eid);
	ret = cmd_do(cmd, SMC_ABI_ADD_UEID, padded, doing);
	switch (ret) {
	case -EEXIST: return smc_err_say(cmd->err, EEXIST, "EID '%s' is already defined", eid);
	case -ERANGE:
		return smc_err_say(cmd->err, ERANGE,
				   "cannot add EID '%s': the kernel's table is full (%d EIDs)", eid,
				   SMC_MAX_UEIDS);
	default: return ret;
	}
}

static int del_ueid(struct cmd *cmd, const char *eid)
{
	char padded[SMC_EID_SIZE], doing[64];
	int ret = prepare(cmd, padded, eid);

	if (ret)
		return ret;
	snprintf(doing, sizeof(doing), "delete EID '%s'", eid);
	ret = cmd_do(cmd, SMC_ABI_REMOVE_UEID, padded, doing);
	if (ret == -ENOENT)
		return smc_err_say(cmd->err, ENOENT, "EID '%s' is not defined", eid);
	if (ret != -EAGAIN)
		return ret;
	/* It is deleted: this is how the kernel says what came with that. */
	cmd->err->code = 0;
	cli_note(cmd->variant->tool, "the last user EID is gone, so the system EID is enabled now");
	return 0;
}

int cmd_run_ueid(struct cmd *cmd)
{
	const char *word = cmd->argc ? cmd->argv[0] : "show";
	int ret;

	if (cmd_is(word, "show") && cmd->argc <= 1)
		return show_ueids(cmd);
	ret = cmd_changes(cmd);
	if (ret)
		return ret;
	if (cmd_is(word, "add") && cmd->argc == 2)
		return add_ueid(cmd, cmd->argv[1]);
	if (cmd_is(word, "del") && cmd->argc == 2)
		return del_ueid(cmd, cmd->argv[1]);
	if (cmd_is(word, "flush") && cmd->argc == 1)
		return cmd_do(cmd, SMC_ABI_FLUSH_UEID, NULL, "delete all user EIDs");
	return cmd_usage(cmd, "ueid: show | add EID | del EID | flush");
}

/* ---- system EID ---- */

static int on_seid(const struct nlmsghdr *nlh, void *arg)
{
	return smc_seid_decode(arg, nlh);
}

static int read_seid(struct cmd *cmd, struct smc_seid *seid)
{
	*seid = (struct smc_seid){ 0 };
	return cmd_dump(cmd, SMC_ABI_DUMP_SEID, on_seid, seid, "the system EID");
}

static int show_seid(struct cmd *cmd)
{
	struct smc_seid seid;
	int ret = read_seid(cmd, &seid);

	if (ret)
		return ret;
	if (cmd->is_json) {
		if (!cmd_document(cmd, "seid"))
			return cmd_no_memory(cmd);
		json_object_set_new(cmd->json, "available", json_boolean(seid.has_eid));
		if (!seid.has_eid)
			return 0;
		json_object_set_new(cmd->json, "seid", out_json_str(seid.eid));
		json_object_set_new(cmd->json, "enabled", json_boolean(seid.is_enabled));
		return 0;
	}
	if (seid.has_eid) {
		out_escaped(&cmd->text, seid.eid, strlen(seid.eid));
		out_str(&cmd->text, seid.is_enabled ? " [enabled]\n" : " [disabled]\n");
	} else {
		out_str(&cmd->text, "n/a\n");
	}
	return 0;
}

static int switch_seid(struct cmd *cmd, bool is_enable)
{
	struct smc_seid seid;
	int ret = read_seid(cmd, &seid);

	if (ret)
		return ret;
	if (!seid.has_eid)
		return smc_err_say(cmd->err, EOPNOTSUPP,
				   "this system has no system EID: only IBM Z has one");
	if (is_enable)
		return cmd_do(cmd, SMC_ABI_ENABLE_SEID, NULL, "enable the system EID");
	ret = cmd_do(cmd, SMC_ABI_DISABLE_SEID, NULL, "disable the system EID");
	if (ret == -ENOENT)
		return smc_err_say(cmd->err, ENOENT,
				   "cannot disable the system EID: it is the only one, add a user EID first");
	return ret;
}

int cmd_run_seid(struct cmd *cmd)
{
	const char *word = cmd->argc ? cmd->argv[0] : "show";
	int ret;

	if (cmd_is(word, "show") && cmd->argc <= 1)
		return show_seid(cmd);
	ret = cmd_changes(cmd);
	if (ret)
		return ret;
	if (cmd->argc == 1 && (cmd_is(word, "enable") || cmd_is(word, "disable")))
		return switch_seid(cmd, cmd_is(word, "enable"));
	return cmd_usage(cmd, "seid: show | enable | disable");
}

/* ---- handshake limitation ---- */

static int on_hs(const struct nlmsghdr *nlh, void *arg)
{
	return smc_hs_decode(arg, nlh);
}

static int show_hs(struct cmd *cmd)
{
	bool is_enabled = false;
	int ret = cmd_dump(cmd, SMC_ABI_DUMP_HS_LIMITATION, on_hs, &is_enabled,
			   "the handshake limitation");

	if (ret)
		return ret;
	if (cmd->is_json) {
		if (!cmd_document(cmd, "hs"))
			return cmd_no_memory(cmd);
		json_object_set_new(cmd->json, "enabled", json_boolean(is_enabled));
		return 0;
	}
	out_str(&cmd->text, is_enabled ? "Handshake limitation: enabled\n" :
					 "Handshake limitation: disabled\n");
	return 0;
}

int cmd_run_hs(struct cmd *cmd)
{
	const char *word = cmd->argc ? cmd->argv[0] : "show";
	int ret;

	if (cmd_is(word, "show") && cmd->argc <= 1)
		return show_hs(cmd);
	ret = cmd_changes(cmd);
	if (ret)
		return ret;
	if (cmd->argc == 1 && cmd_is(word, "enable"))
		return cmd_do(cmd, SMC_ABI_ENABLE_HS_LIMITATION, NULL,
			      "enable handshake limitation");
	if (cmd->argc == 1 && cmd_is(word, "disable"))
		return cmd_do(cmd, SMC_ABI_DISABLE_HS_LIMITATION, NULL,
			      "disable handshake limitation");
	return cmd_usage(cmd, "hs: show | enable | disable");
}
