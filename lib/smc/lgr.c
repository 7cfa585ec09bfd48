// SPDX-License-Identifier: MIT
/* Link groups, SMC-R and SMC-D. */
#include "smc/lgr.h"

#include "smc/attr.h"

#define ATTR(number, member, bit)                                                                  \
	SMC_ATTR(SMC_ABI_LGR_##number, struct smc_lgr, member, SMC_LGR_HAS_##bit)
/* What is in the nest goes into the same structure. */
#define COMMON(number)                                                                             \
	{                                                                                          \
		number, SMC_ATTR_NEST, .nest = v2_common, .seen = offsetof(struct smc_lgr, is_v2)  \
	}

static const struct smc_attr v2_common[] = {
	ATTR(V2_VER, version, VERSION),
	ATTR(V2_REL, release, RELEASE),
	ATTR(V2_OS, os, OS),
	ATTR(V2_NEG_EID, eid, EID),
	ATTR(V2_PEER_HOST, peer_host, PEER_HOST),
	{ 0 },
};

static const struct smc_attr v2_smcr[] = {
	ATTR(R_V2_DIRECT, is_direct, DIRECT),
	ATTR(R_V2_MAX_CONNS, max_conns, MAX_CONNS),
	ATTR(R_V2_MAX_LINKS, max_links, MAX_LINKS),
	{ 0 },
};

static const struct smc_attr smcr[] = {
	ATTR(R_ID, id, ID),
	ATTR(R_ROLE, role, ROLE),
	ATTR(R_TYPE, type, TYPE),
	ATTR(R_PNETID, pnetid, PNETID),
	ATTR(R_VLAN_ID, vlan, VLAN),
	ATTR(R_CONNS_NUM, conns, CONNS),
	COMMON(SMC_ABI_LGR_R_V2_COMMON),
	{ SMC_ABI_LGR_R_V2, SMC_ATTR_NEST, .nest = v2_smcr },
	ATTR(R_NET_COOKIE, net_cookie, NET_COOKIE),
	ATTR(R_BUF_TYPE, buf_type, BUF_TYPE),
	ATTR(R_SNDBUF_ALLOC, sndbuf, SNDBUF),
	ATTR(R_RMB_ALLOC, rcvbuf, RCVBUF),
	{ 0 },
};

static const struct smc_attr smcd[] = {
	ATTR(D_ID, id, ID),
	ATTR(D_GID, gid, GID),
	ATTR(D_PEER_GID, peer_gid, PEER_GID),
	ATTR(D_VLAN_ID, vlan, VLAN),
	ATTR(D_CONNS_NUM, conns, CONNS),
	ATTR(D_PNETID, pnetid, PNETID),
	ATTR(D_CHID, chid, CHID),
	COMMON(SMC_ABI_LGR_D_V2_COMMON),
	ATTR(D_EXT_GID, ext_gid, EXT_GID),
	ATTR(D_PEER_EXT_GID, peer_ext_gid, PEER_EXT_GID),
	ATTR(D_SNDBUF_ALLOC, sndbuf, SNDBUF),
	ATTR(D_DMB_ALLOC, rcvbuf, RCVBUF),
	{ 0 },
};

static const struct smc_attr messages[] = {
	{ SMC_ABI_GEN_LGR_SMCR, SMC_ATTR_NEST, .nest = smcr },
	{ SMC_ABI_GEN_LGR_SMCD, SMC_ATTR_NEST, .nest = smcd },
	{ 0 },
};

int smc_lgr_decode(struct smc_lgr *lgr, const struct nlmsghdr *nlh)
{
	return smc_attr_decode(lgr, sizeof(*lgr), nlh, messages);
}
