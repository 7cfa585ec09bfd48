// SPDX-License-Identifier: MIT
/* stats --all-netns: statistics of each network namespace with any activity. */
#include "smcdr/cmd.h"

#include "base/array.h"
#include "base/memory.h"
#include "net/netns_list.h"
#include "out/metrics.h"

/* Limit for metrics: a namespace has a hundred series. */
#define MOST_NETNS 20

/** struct space - @conns: of the tool's technology; @reason: of most fallbacks, 0 for none */
struct space {
	char name[NETNS_NAME_SIZE];
	bool is_own;
	uint64_t inode, conns, fallbacks, errors;
	uint32_t reason;
	struct smc_stats stats;
};

struct collection {
	struct cmd *cmd;
	struct cmd_list spaces;
};

static void sum_up(struct space *space, int tech)
{
	uint16_t most = 0;

	for (size_t i = SMC_STAT_CLNT_V1; i < SMC_STAT_CLNT_V1 + 4; i++)
		space->conns += space->stats.tech[tech].value[i];
	for_each(side, space->stats.side, SMC_SIDES) {
		space->fallbacks += side->fallbacks;
		space->errors += side->handshake_errors;
		for (size_t i = 0; i < side->n_reasons; i++) {
			if (side->reasons[i].count <= most)
				continue;
			most = side->reasons[i].count;
			space->reason = side->reasons[i].code;
		}
	}
}

static bool is_idle(const struct space *space)
{
	for (size_t t = 0; t < SMC_TECHS; t++)
		for (size_t i = 0; i < 4; i++)
			if (space->stats.tech[t].value[SMC_STAT_CLNT_V1 + i])
				return false;
	return !space->fallbacks && !space->errors;
}

static int on_netns(void *arg, const struct netns *netns, struct smc_err *err)
{
	struct collection *all = arg;
	struct space *space = cmd_list_add(&all->spaces);
	int ret;

	all->cmd->err = err;
	strcpy(space->name, netns->name);
	space->inode = netns->inode;
	space->is_own = netns->is_own;
	ret = smc_genl_follow(&all->cmd->nl, SMC_GENL_FAMILY_NAME, err);
	if (!ret)
		ret = stats_load(all->cmd, &space->stats);
	sum_up(space, all->cmd->variant->tech);
	if (ret || (is_idle(space) && !space->is_own))
		all->spaces.count--;
	return ret;
}

static void text_reason(struct out_text *text, const void *object)
{
	char buf[16];

	if (((const struct space *)object)->reason)
		out_str(text, stats_reason_name(((const struct space *)object)->reason, buf));
}

static const struct out_col columns[] = {
	{ "netns", "Netns", "netns", 31, OUT_STR(space, name) },
	{ NULL, NULL, "netns_inode", 0, OUT_DEC(space, inode, 0) },
	{ "connections", "Connections", "connections", 11, OUT_RIGHT, OUT_DEC(space, conns, 0) },
	{ "fallbacks", "Fallbacks", "fallbacks", 9, OUT_RIGHT, OUT_DEC(space, fallbacks, 0) },
	{ "errors", "Errors", "handshake_errors", 6, OUT_RIGHT, OUT_DEC(space, errors, 0) },
	{ "reason", "Reason", "reason", 16, OUT_TEXT(text_reason) },
	{ 0 },
};

/* The caller's namespace first, then the oldest: they stay, so counters keep their meaning. */
static int compare(const void *a, const void *b)
{
	const struct space *x = a, *y = b;

	if (x->is_own != y->is_own)
		return y->is_own - x->is_own;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

static void append_metrics(struct cmd *cmd, struct cmd_list *spaces)
{
	static const char left[] = "smc_network_namespaces_left_out";
	size_t shown = spaces->count < MOST_NETNS ? spaces->count : MOST_NETNS;
	struct stats_of *rows AUTO_FREE = xcalloc(shown + 1, sizeof(*rows));

	qsort(spaces->items, spaces->count, spaces->item_size, compare);
	for (size_t i = 0; i < shown; i++) {
		struct space *space = cmd_list_at(spaces, i);

		/* Two namespaces may have the same name. */
		rows[i] = (struct stats_of){ &space->stats, space->name, space->inode };
	}
	metrics_head(&cmd->text, left, "gauge",
		     "Network namespaces with SMC whose statistics are "
		     "not shown, as there are too many.");
	metrics_sample(&cmd->text, left, spaces->count - shown, NULL);
	stats_metrics(&cmd->text, rows, shown);
}

int stats_all_netns(struct cmd *cmd)
{
	struct collection all = { cmd, { .item_size = sizeof(struct space) } };
	struct smc_err *err = cmd->err;
	struct netns_list list;
	char text[200];
	int ret = netns_list_load(&list, err);

	if (ret)
		return ret;
	ret = netns_list_each(&list, on_netns, &all, err);
	if (!ret && cmd->is_metrics)
		append_metrics(cmd, &all.spaces);
	else if (!ret)
		ret = cmd_table(cmd, &all.spaces, columns,
				"netns,connections,fallbacks,errors,reason", "stats-netns",
				"namespaces");
	if (!ret)
		ret = cmd_write(cmd);
	netns_list_hidden(&list, text, sizeof(text));
	cli_warn(cmd->variant->tool, ret || !text[0], "%s", text);
	if (!ret)
		ret = netns_list_failure(&list, err);
	cmd_list_free(&all.spaces);
	netns_list_free(&list);
	return ret;
}
