// SPDX-License-Identifier: MIT
/* Link groups, SMC-R and SMC-D. */
#include "smc/lgr.h"

#include <errno.h>
#include <libmnl/libmnl.h>

#include "smc/attr.h"

static uint32_t decode_common(struct smc_lgr *lgr, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case SMC_ABI_LGR_V2_VER:
		return smc_attr_u8(attr, &lgr->version) ? SMC_LGR_HAS_VERSION : 0;
	case SMC_ABI_LGR_V2_REL:
		return smc_attr_u8(attr, &lgr->release) ? SMC_LGR_HAS_RELEASE : 0;
	case SMC_ABI_LGR_V2_OS:
		return smc_attr_u8(attr, &lgr->os) ? SMC_LGR_HAS_OS : 0;
	case SMC_ABI_LGR_V2_NEG_EID:
		return smc_attr_str(attr, lgr->eid, sizeof(lgr->eid)) ? SMC_LGR_HAS_EID : 0;
	case SMC_ABI_LGR_V2_PEER_HOST:
		return smc_attr_str(attr, lgr->peer_host, sizeof(lgr->peer_host)) ?
			       SMC_LGR_HAS_PEER_HOST : 0;
	default:
		return 0;
	}
}

static uint32_t decode_v2_common(struct smc_lgr *lgr, const struct nlattr *nest)
{
	const struct nlattr *attr;
	uint32_t has = 0;

	lgr->is_v2 = true;
	mnl_attr_for_each_nested(attr, nest)
		has |= decode_common(lgr, attr);
	return has;
}

static uint32_t decode_v2_smcr(struct smc_lgr *lgr, const struct nlattr *nest)
{
	const struct nlattr *attr;
	uint32_t has = 0;

	mnl_attr_for_each_nested(attr, nest) {
		switch (mnl_attr_get_type(attr)) {
		case SMC_ABI_LGR_R_V2_DIRECT:
			has |= smc_attr_bool(attr, &lgr->is_direct) ? SMC_LGR_HAS_DIRECT : 0;
			break;
		case SMC_ABI_LGR_R_V2_MAX_CONNS:
			has |= smc_attr_u8(attr, &lgr->max_conns) ? SMC_LGR_HAS_MAX_CONNS : 0;
			break;
		case SMC_ABI_LGR_R_V2_MAX_LINKS:
			has |= smc_attr_u8(attr, &lgr->max_links) ? SMC_LGR_HAS_MAX_LINKS : 0;
			break;
		}
	}
	return has;
}

static uint32_t decode_smcr(struct smc_lgr *lgr, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case SMC_ABI_LGR_R_ID:
		return smc_attr_u32(attr, &lgr->id) ? SMC_LGR_HAS_ID : 0;
	case SMC_ABI_LGR_R_ROLE:
		return smc_attr_u8(attr, &lgr->role) ? SMC_LGR_HAS_ROLE : 0;
	case SMC_ABI_LGR_R_TYPE:
		return smc_attr_u8(attr, &lgr->type) ? SMC_LGR_HAS_TYPE : 0;
	case SMC_ABI_LGR_R_PNETID:
		return smc_attr_str(attr, lgr->pnetid, sizeof(lgr->pnetid)) ?
			       SMC_LGR_HAS_PNETID : 0;
	case SMC_ABI_LGR_R_VLAN_ID:
		return smc_attr_u8(attr, &lgr->vlan) ? SMC_LGR_HAS_VLAN : 0;
	case SMC_ABI_LGR_R_CONNS_NUM:
		return smc_attr_u32(attr, &lgr->conns) ? SMC_LGR_HAS_CONNS : 0;
	case SMC_ABI_LGR_R_V2_COMMON:
		return decode_v2_common(lgr, attr);
	case SMC_ABI_LGR_R_V2:
		return decode_v2_smcr(lgr, attr);
	case SMC_ABI_LGR_R_NET_COOKIE:
		return smc_attr_u64(attr, &lgr->net_cookie) ? SMC_LGR_HAS_NET_COOKIE : 0;
	case SMC_ABI_LGR_R_BUF_TYPE:
		return smc_attr_u8(attr, &lgr->buf_type) ? SMC_LGR_HAS_BUF_TYPE : 0;
	case SMC_ABI_LGR_R_SNDBUF_ALLOC:
		return smc_attr_u64(attr, &lgr->sndbuf) ? SMC_LGR_HAS_SNDBUF : 0;
	case SMC_ABI_LGR_R_RMB_ALLOC:
		return smc_attr_u64(attr, &lgr->rcvbuf) ? SMC_LGR_HAS_RCVBUF : 0;
	default:
		return 0;
	}
}

static uint32_t decode_smcd(struct smc_lgr *lgr, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case SMC_ABI_LGR_D_ID:
		return smc_attr_u32(attr, &lgr->id) ? SMC_LGR_HAS_ID : 0;
	case SMC_ABI_LGR_D_GID:
		return smc_attr_u64(attr, &lgr->gid) ? SMC_LGR_HAS_GID : 0;
	case SMC_ABI_LGR_D_PEER_GID:
		return smc_attr_u64(attr, &lgr->peer_gid) ? SMC_LGR_HAS_PEER_GID : 0;
	case SMC_ABI_LGR_D_VLAN_ID:
		return smc_attr_u8(attr, &lgr->vlan) ? SMC_LGR_HAS_VLAN : 0;
	case SMC_ABI_LGR_D_CONNS_NUM:
		return smc_attr_u32(attr, &lgr->conns) ? SMC_LGR_HAS_CONNS : 0;
	case SMC_ABI_LGR_D_PNETID:
		return smc_attr_str(attr, lgr->pnetid, sizeof(lgr->pnetid)) ?
			       SMC_LGR_HAS_PNETID : 0;
	case SMC_ABI_LGR_D_CHID:
		return smc_attr_u32(attr, &lgr->chid) ? SMC_LGR_HAS_CHID : 0;
	case SMC_ABI_LGR_D_V2_COMMON:
		return decode_v2_common(lgr, attr);
	case SMC_ABI_LGR_D_EXT_GID:
		return smc_attr_u64(attr, &lgr->ext_gid) ? SMC_LGR_HAS_EXT_GID : 0;
	case SMC_ABI_LGR_D_PEER_EXT_GID:
		return smc_attr_u64(attr, &lgr->peer_ext_gid) ? SMC_LGR_HAS_PEER_EXT_GID : 0;
	case SMC_ABI_LGR_D_SNDBUF_ALLOC:
		return smc_attr_u64(attr, &lgr->sndbuf) ? SMC_LGR_HAS_SNDBUF : 0;
	case SMC_ABI_LGR_D_DMB_ALLOC:
		return smc_attr_u64(attr, &lgr->rcvbuf) ? SMC_LGR_HAS_RCVBUF : 0;
	default:
		return 0;
	}
}

int smc_lgr_decode(struct smc_lgr *lgr, const struct nlmsghdr *nlh)
{
	const struct nlattr *smcr = smc_attr_nest(nlh, SMC_ABI_GEN_LGR_SMCR), *attr;
	const struct nlattr *smcd = smc_attr_nest(nlh, SMC_ABI_GEN_LGR_SMCD);

	*lgr = (struct smc_lgr){ 0 };
	if (smcr) {
		mnl_attr_for_each_nested(attr, smcr)
			lgr->has |= decode_smcr(lgr, attr);
	} else if (smcd) {
		mnl_attr_for_each_nested(attr, smcd)
			lgr->has |= decode_smcd(lgr, attr);
	} else {
		return -EBADMSG;
	}
	return 0;
}
