// SPDX-License-Identifier: MIT
/* linkgroup: link groups and their links. */
#include "smcdr/cmd.h"

#include "base/array.h"
#include "out/list.h"
#include "out/metrics.h"
#include "out/units.h"

/** struct linkgroup_request - filters, which combine; @id is used if @has_id */
struct linkgroup_request {
	bool is_links, has_id;
	uint32_t id;
	struct cmd_filter filter;
};

struct lists {
	struct cmd_list groups; /* of struct smc_lgr */
	struct cmd_list links;	/* of struct link_row */
	struct smc_lgr last;	/* group of the links that follow */
};

static int on_group(const struct nlmsghdr *nlh, void *arg)
{
	struct lists *lists = arg;

	return smc_lgr_decode(cmd_list_add(&lists->groups), nlh);
}

/* A dump of links has two kinds of messages: each group, then its links. */
static int on_link(const struct nlmsghdr *nlh, void *arg)
{
	struct lists *lists = arg;
	struct link_row *row;
	struct smc_link link;

	if (smc_link_decode(&link, nlh)) {
		return smc_lgr_decode(&lists->last, nlh) ?: on_group(nlh, arg);
	}
	row = cmd_list_add(&lists->links);
	row->lgr = lists->last;
	row->link = link;
	return 0;
}

static bool id_fits(const struct linkgroup_request *request, const struct smc_lgr *lgr)
{
	return !request->has_id || request->id == lgr->id;
}

static bool link_fits(const struct linkgroup_request *request, const struct link_row *row)
{
	return id_fits(request, &row->lgr) &&
	       (!request->filter.netdev || !strcmp(request->filter.netdev, row->netdev)) &&
	       (!request->filter.ibdev || !strcmp(request->filter.ibdev, row->link.ib_dev));
}

/* Finding a name reads many files, and most links have the device of an earlier one. */
static void name_netdev(const struct cmd_list *links, size_t number)
{
	struct link_row *row = cmd_list_at(links, number);

	while (number-- > 0) {
		const struct link_row *other = cmd_list_at(links, number);

		if (other->link.ifindex == row->link.ifindex &&
		    other->link.ib_port == row->link.ib_port &&
		    !strcmp(other->link.ib_dev, row->link.ib_dev)) {
			memcpy(row->netdev, other->netdev, sizeof(row->netdev));
			return;
		}
	}
	cmd_netdev_name(row->netdev, row->link.ib_dev, row->link.ib_port, row->link.ifindex);
}

static void filter_links(struct cmd_list *links, const struct linkgroup_request *request)
{
	size_t kept = 0;

	for (size_t i = 0; i < links->count; i++) {
		struct link_row *row = cmd_list_at(links, i);

		name_netdev(links, i);
		if (link_fits(request, row))
			memmove(cmd_list_at(links, kept++), row, sizeof(*row));
	}
	links->count = kept;
}

/* A group passes a device filter if one of its links does. */
static void filter_groups(struct lists *lists, const struct linkgroup_request *request)
{
	size_t kept = 0;

	for (size_t i = 0; i < lists->groups.count; i++) {
		struct smc_lgr *lgr = cmd_list_at(&lists->groups, i);
		bool fits = !request->filter.netdev && !request->filter.ibdev;

		for (size_t j = 0; !fits && j < lists->links.count; j++)
			fits = ((struct link_row *)cmd_list_at(&lists->links, j))->lgr.id ==
			       lgr->id;
		if (fits && id_fits(request, lgr))
			memmove(cmd_list_at(&lists->groups, kept++), lgr, sizeof(*lgr));
	}
	lists->groups.count = kept;
}

static int load(struct cmd *cmd, struct lists *lists, const struct linkgroup_request *request)
{
	bool needs_links = request->is_links || request->filter.netdev || request->filter.ibdev;
	int ret;

	if (cmd->variant->is_smcd)
		ret = cmd_dump(cmd, SMC_NETLINK_GET_LGR_SMCD, on_group, lists, "the link groups");
	else if (needs_links)
		ret = cmd_dump(cmd, SMC_NETLINK_GET_LINK_SMCR, on_link, lists, "the links");
	else
		ret = cmd_dump(cmd, SMC_NETLINK_GET_LGR_SMCR, on_group, lists, "the link groups");
	if (ret)
		return ret;
	filter_links(&lists->links, request);
	filter_groups(lists, request);
	return 0;
}

static int show_links(struct cmd *cmd, const struct lists *lists)
{
	static const char *const names[] = {
		"id,role,type,netdev,state,conns",
		"id,role,type,netdev,state,conns,uid,peeruid,ibdev,port",
		"id,role,type,netdev,state,conns,uid,peeruid,ibdev,port,gid,peergid",
	};

	return cmd_table(cmd, &lists->links, link_columns, names[cmd->details], "linkgroup",
			 "links");
}

/* Lines about version 2 are printed for groups of version 2 only: each group has its own block. */
static void show_blocks(struct cmd *cmd, const struct lists *lists, const struct out_col *table)
{
	for (size_t i = 0; i < lists->groups.count; i++) {
		const struct smc_lgr *lgr = cmd_list_at(&lists->groups, i);
		const char *names;

		if (cmd->variant->is_smcd)
			names = lgr->is_v2 ?
					"id,vlan,pnetid,version,rel,host,os,eid,conns,sndbuf,dmb,"
					"gid,extgid,peergid,peerext,chid" :
					"id,vlan,pnetid,version,conns,sndbuf,dmb,"
					"gid,extgid,peergid,peerext,chid";
		else
			names = lgr->is_v2 ?
					"id,role,type,vlan,pnetid,version,rel,host,os,direct,eid,"
					"conns,sndbuf,rmb,buftype,maxconns,maxlinks,cookie" :
					"id,role,type,vlan,pnetid,version,conns,sndbuf,rmb,"
					"buftype,cookie";
		if (i)
			out_str(&cmd->text, "\n");
		cmd_block(cmd, lgr, table, names);
	}
}

/* Buffers of a group without connections are unused, but not freed. */
static void say_waiting(struct cmd *cmd, const struct cmd_list *groups)
{
	unsigned int waiting = 0;
	size_t start = cmd->text.len;
	char buf[OUT_UNITS];
	uint64_t bytes = 0;

	for (size_t i = 0; i < groups->count; i++) {
		const struct smc_lgr *lgr = cmd_list_at(groups, i);

		if (!(lgr->has & SMC_LGR_HAS_CONNS) || lgr->conns)
			continue;
		waiting++;
		bytes += lgr->sndbuf + lgr->rcvbuf;
	}
	if (!waiting)
		return;
	out_printf(&cmd->text, "Without connections: %u", waiting);
	if (bytes)
		out_printf(&cmd->text, ", with %s of buffers", out_size(buf, bytes));
	out_str(&cmd->text, ". The kernel frees a group ten minutes after its last connection.\n");
	out_wrap_from(&cmd->text, start, cmd->width, 0);
}

static int show(struct cmd *cmd, const struct lists *lists, const struct linkgroup_request *request)
{
	bool is_smcd = cmd->variant->is_smcd;
	const struct out_col *table = is_smcd ? smcd_linkgroup_columns : smcr_linkgroup_columns;

	if (request->is_links)
		return show_links(cmd, lists);
	if (cmd->details && !cmd->is_json)
		show_blocks(cmd, lists, table);
	else
		cmd_table(cmd, &lists->groups, table,
			  is_smcd ? "id,vlan,conns,pnetid" : "id,role,type,vlan,conns,pnetid",
			  "linkgroup", "linkgroups");
	if (!cmd->is_json && cmd->width)
		say_waiting(cmd, &lists->groups);
	return 0;
}

/* Hexadecimal with or without 0x; some output has the link number as last byte of an SMC-R id. */
static int parse_id(struct cmd *cmd, struct linkgroup_request *request, const char *word)
{
	unsigned long id;
	char *end;

	errno = 0;
	id = strtoul(word, &end, 16);
	if (end == word || *end || errno || id > UINT32_MAX || word[0] == '-' || word[0] == '+')
		return cmd_usage(cmd, "linkgroup: '%s' is neither a command nor a link group's id",
				 word);
	request->has_id = id; /* 0: all groups; SMC-R has no groups 1 to ff */
	request->id = (uint32_t)id;
	if (!cmd->variant->is_smcd)
		request->id &= 0xffffff00U;
	return 0;
}

static int parse(struct cmd *cmd, struct linkgroup_request *request)
{
	int ret = 0;

	for (int i = 0; i < cmd->argc && ret >= 0; i++) {
		const char *word = cmd->argv[i];

		if (!i && cmd_is(word, "link-show"))
			request->is_links = !cmd->variant->is_smcd;
		if ((!i && (cmd_is(word, "show") || cmd_is(word, "link-show"))) ||
		    cmd_is(word, "all"))
			continue;
		ret = cmd_filter_word(cmd, "linkgroup", &i, &request->filter);
		if (!ret)
			ret = parse_id(cmd, request, word);
	}
	return ret < 0 ? ret : 0;
}

/* ---- metrics ---- */

static const char *const type_names[] = {
	"none", "single", "symmetric", "asymmetric_peer", "asymmetric_local",
};

/** struct sums - @has_buffers: the kernel sent the buffer sizes of all groups */
struct sums {
	uint64_t types[ARRAY_SIZE(type_names)], groups, conns, sndbuf, rcvbuf;
	bool has_buffers;
};

static void sum_up(struct sums *sums, const struct cmd_list *groups)
{
	*sums = (struct sums){ .groups = groups->count, .has_buffers = true };
	for (size_t i = 0; i < groups->count; i++) {
		const struct smc_lgr *lgr = cmd_list_at(groups, i);

		if (lgr->has & SMC_LGR_HAS_TYPE && lgr->type < ARRAY_SIZE(type_names))
			sums->types[lgr->type]++;
		sums->conns += lgr->conns;
		sums->sndbuf += lgr->sndbuf;
		sums->rcvbuf += lgr->rcvbuf;
		sums->has_buffers &= lgr->has & SMC_LGR_HAS_SNDBUF && lgr->has & SMC_LGR_HAS_RCVBUF;
	}
}

/* Append the sums of SMC-D and SMC-R, in this order. */
static void append_metrics(struct out_text *text, const struct sums sums[2])
{
	static const char groups[] = "smc_link_groups", conns[] = "smc_link_group_connections",
			  buffers[] = "smc_link_group_buffer_bytes";

	metrics_head(text, groups, "gauge",
		     "Link groups of this host, those of SMC-R by how "
		     "their links are: single, symmetric, ...");
	metrics_sample(text, groups, sums[0].groups, "tech", "smcd", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(type_names); i++)
		metrics_sample(text, groups, sums[1].types[i], "tech", "smcr", "links",
			       type_names[i], NULL);
	metrics_head(text, conns, "gauge", "Connections in link groups.");
	metrics_sample(text, conns, sums[0].conns, "tech", "smcd", NULL);
	metrics_sample(text, conns, sums[1].conns, "tech", "smcr", NULL);
	metrics_head(text, buffers, "gauge",
		     "Bytes that link groups have allocated, as far as the kernel reports them.");
	for (size_t i = 0; i < 2; i++) {
		const char *tech = i ? "smcr" : "smcd";

		if (!sums[i].has_buffers)
			continue;
		metrics_sample(text, buffers, sums[i].sndbuf, "tech", tech, "direction", "transmit",
			       NULL);
		metrics_sample(text, buffers, sums[i].rcvbuf, "tech", tech, "direction", "receive",
			       NULL);
	}
	out_str(text, "# EOF\n");
}

static int run_metrics(struct cmd *cmd, struct lists *lists)
{
	static const uint8_t requests[] = { SMC_NETLINK_GET_LGR_SMCD, SMC_NETLINK_GET_LGR_SMCR };
	struct sums sums[2];

	if (!cmd_is_show(cmd) || cmd->is_json)
		return cmd_usage(cmd, "linkgroup: --metrics is for show of all, without --json");
	for (size_t i = 0; i < 2; i++) {
		int ret;

		lists->groups.count = 0;
		ret = cmd_dump(cmd, requests[i], on_group, lists, "the link groups");
		if (ret)
			return ret;
		sum_up(&sums[i], &lists->groups);
	}
	append_metrics(&cmd->text, sums);
	return 0;
}

int cmd_run_linkgroup(struct cmd *cmd)
{
	struct lists lists = {
		.groups = { .item_size = sizeof(struct smc_lgr) },
		.links = { .item_size = sizeof(struct link_row) },
	};
	struct linkgroup_request request = { .has_id = false };
	int ret = cmd->is_metrics ? run_metrics(cmd, &lists) : parse(cmd, &request);

	if (!ret && !cmd->is_metrics)
		ret = load(cmd, &lists, &request);
	if (!ret && !cmd->is_metrics)
		ret = show(cmd, &lists, &request);
	cmd_list_free(&lists.groups);
	cmd_list_free(&lists.links);
	return ret;
}
