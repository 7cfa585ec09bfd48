// SPDX-License-Identifier: MIT
/* ueid, seid, hs: the names and switches that this system negotiates with. */
#include "smcdr/cmd.h"
#include "smc/eid.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>


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
	json_t *array;

	if (!ret && cmd->is_json) {
		array = json_array();
		for (size_t i = 0; i < eids.count; i++)
			out_json_push(&array, out_json_str(eids.eids[i]));
		return cmd_document(cmd, "ueid", json_pack("{s:o}", "ueids", array));
	}
	for (size_t i = 0; !ret && i < eids.count; i++) {
		out_escaped(&cmd->text, eids.eids[i], SMC_EID_SIZE);
		out_str(&cmd->text, "\n");
	}
	return ret;
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
		return cmd_do(cmd, SMC_ABI_FLUSH_UEID, NULL, "delete all user EIDs");
	return ret ? ret : cmd_usage(cmd, "ueid: expected show | add EID | del EID | flush");
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
	if (cmd->is_json && !seid.has_eid)
		return cmd_document(cmd, "seid", json_pack("{s:b}", "available", false));
	if (cmd->is_json)
		return cmd_document(cmd, "seid", json_pack("{s:b, s:o, s:b}", "available", true,
							   "seid", out_json_str(seid.eid),
							   "enabled", seid.is_enabled));
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
	if (cmd->is_json)
		return cmd_document(cmd, "hs", json_pack("{s:b}", "enabled", is_enabled));
	out_printf(&cmd->text, "Handshake limitation: %s\n", is_enabled ? "enabled" : "disabled");
	return 0;
}

int cmd_run_hs(struct cmd *cmd)
{
	int ret;

	if (!cmd->argc || (cmd->argc == 1 && cmd_is(cmd->argv[0], "show")))
		return show_hs(cmd);
	if (changes(cmd, "enable", 0, &ret))
		return cmd_do(cmd, SMC_ABI_ENABLE_HS_LIMITATION, NULL,
			      "enable handshake limitation");
	if (changes(cmd, "disable", 0, &ret))
		return cmd_do(cmd, SMC_ABI_DISABLE_HS_LIMITATION, NULL,
			      "disable handshake limitation");
	return ret ? ret : cmd_usage(cmd, "hs: expected show | enable | disable");
}
