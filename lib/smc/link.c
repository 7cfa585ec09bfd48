// SPDX-License-Identifier: MIT
/* RDMA links of SMC-R link groups. */
#include "smc/link.h"

#include <errno.h>
#include <libmnl/libmnl.h>

#include "smc/attr.h"

static uint32_t decode_attr(struct smc_link *link, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case SMC_ABI_LINK_ID:
		return smc_attr_u8(attr, &link->id) ? SMC_LINK_HAS_ID : 0;
	case SMC_ABI_LINK_IB_DEV:
		return smc_attr_str(attr, link->ib_dev, sizeof(link->ib_dev)) ?
			       SMC_LINK_HAS_IB_DEV : 0;
	case SMC_ABI_LINK_IB_PORT:
		return smc_attr_u8(attr, &link->ib_port) ? SMC_LINK_HAS_IB_PORT : 0;
	case SMC_ABI_LINK_GID:
		return smc_attr_str(attr, link->gid, sizeof(link->gid)) ? SMC_LINK_HAS_GID : 0;
	case SMC_ABI_LINK_PEER_GID:
		return smc_attr_str(attr, link->peer_gid, sizeof(link->peer_gid)) ?
			       SMC_LINK_HAS_PEER_GID : 0;
	case SMC_ABI_LINK_CONN_CNT:
		return smc_attr_u32(attr, &link->conns) ? SMC_LINK_HAS_CONNS : 0;
	case SMC_ABI_LINK_NET_DEV:
		return smc_attr_u32(attr, &link->ifindex) ? SMC_LINK_HAS_IFINDEX : 0;
	case SMC_ABI_LINK_UID:
		return smc_attr_u32(attr, &link->uid) ? SMC_LINK_HAS_UID : 0;
	case SMC_ABI_LINK_PEER_UID:
		return smc_attr_u32(attr, &link->peer_uid) ? SMC_LINK_HAS_PEER_UID : 0;
	case SMC_ABI_LINK_STATE:
		return smc_attr_u32(attr, &link->state) ? SMC_LINK_HAS_STATE : 0;
	default:
		return 0;
	}
}

int smc_link_decode(struct smc_link *link, const struct nlmsghdr *nlh)
{
	const struct nlattr *nest = smc_attr_nest(nlh, SMC_ABI_GEN_LINK_SMCR), *attr;

	*link = (struct smc_link){ 0 };
	if (!nest)
		return -EBADMSG;
	mnl_attr_for_each_nested(attr, nest)
		link->has |= decode_attr(link, attr);
	return 0;
}
