// SPDX-License-Identifier: MIT
/* RDMA links of SMC-R link groups. */
#include "smc/link.h"

#include "smc/attr.h"

#define ATTR(number, member, bit)                                                                  \
	SMC_ATTR(SMC_ABI_LINK_##number, struct smc_link, member, SMC_LINK_HAS_##bit)

static const struct smc_attr attrs[] = {
	ATTR(ID, id, ID),
	ATTR(IB_DEV, ib_dev, IB_DEV),
	ATTR(IB_PORT, ib_port, IB_PORT),
	ATTR(GID, gid, GID),
	ATTR(PEER_GID, peer_gid, PEER_GID),
	ATTR(CONN_CNT, conns, CONNS),
	ATTR(NET_DEV, ifindex, IFINDEX),
	ATTR(UID, uid, UID),
	ATTR(PEER_UID, peer_uid, PEER_UID),
	ATTR(STATE, state, STATE),
	{ 0 },
};

static const struct smc_attr messages[] = {
	{ SMC_ABI_GEN_LINK_SMCR, SMC_ATTR_NEST, .nest = attrs },
	{ 0 },
};

int smc_link_decode(struct smc_link *link, const struct nlmsghdr *nlh)
{
	return smc_attr_decode(link, sizeof(*link), nlh, messages);
}
