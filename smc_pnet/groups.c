// SPDX-License-Identifier: MIT
#include "smc_pnet/smc_pnet.h"

#include <linux/genetlink.h>

#include "base/array.h"
#include "netlink/genl.h"
#include "smc/abi.h"
#include "smc/gen.h"

struct reader {
	struct pnet_groups *groups;
	struct smc_lgr lgr; /* the group whose links follow */
	struct smc_err *err;
};

/* The kernel sends a group, then its links, in messages of two commands. */
static int on_smcr(const struct nlmsghdr *nlh, void *arg)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);
	struct pnet_group group = { .chid = -1 };
	struct reader *reader = arg;
	struct smc_link link;

	if (genl->cmd != SMC_NETLINK_GET_LINK_SMCR) {
		smc_lgr_decode(&reader->lgr, nlh);
		return 0;
	}
	if (smc_link_decode(&link, nlh))
		return smc_err_say(reader->err, EBADMSG, "the kernel sent a malformed link");
	group.id = reader->lgr.id;
	group.conns = link.has & SMC_LINK_HAS_CONNS ? link.conns : reader->lgr.conns;
	group.link = link.id;
	group.port = link.ib_port;
	memcpy(group.ib, link.ib_dev, sizeof(group.ib));
	*smc_array_add(&reader->groups->groups, &reader->groups->count) = group;
	return 0;
}

static int on_smcd(const struct nlmsghdr *nlh, void *arg)
{
	struct pnet_group group = { .chid = -1 };
	struct reader *reader = arg;

	if (smc_lgr_decode(&reader->lgr, nlh))
		return smc_err_say(reader->err, EBADMSG, "the kernel sent a malformed link group");
	group.id = reader->lgr.id;
	group.conns = reader->lgr.conns;
	if (reader->lgr.has & SMC_LGR_HAS_CHID)
		group.chid = (int32_t)(reader->lgr.chid & 0xffff);
	*smc_array_add(&reader->groups->groups, &reader->groups->count) = group;
	return 0;
}

void pnet_groups_free(struct pnet_groups *groups)
{
	free(groups->groups);
	*groups = (struct pnet_groups){ 0 };
}

int pnet_groups_load(struct pnet_groups *groups, struct smc_err *err)
{
	struct reader reader = { .groups = groups, .err = err };
	struct smc_genl *nl = NULL;
	int ret;

	*groups = (struct pnet_groups){ 0 };
	ret = smc_genl_open(&nl, "SMC_GEN_NETLINK", err);
	if (ret) /* kernels before 5.11 have a PNET table, but do not list link groups */
		return ret == -ENOENT ? 0 : ret;
	ret = smc_genl_dump(nl, SMC_NETLINK_GET_LINK_SMCR, on_smcr, &reader, err);
	if (!ret)
		ret = smc_genl_dump(nl, SMC_NETLINK_GET_LGR_SMCD, on_smcd, &reader, err);
	smc_genl_close(nl);
	if (ret)
		pnet_groups_free(groups);
	return ret;
}

bool pnet_group_uses(const struct pnet_group *group, const struct pnet_row *row)
{
	if (row->ib)
		return !strcmp(group->ib, row->ib->name) && group->port == row->port;
	/* An entry names loopback, which is not in sysfs before 6.18. */
	if (row->type == PNET_ISM && !row->ism)
		return group->chid == SMC_ABI_CHID_LOOPBACK;
	return row->ism && group->chid >= 0 && group->chid == row->ism->chid;
}
