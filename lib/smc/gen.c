// SPDX-License-Identifier: MIT
#include "smc/gen.h"

#include "smc/attr.h"

/* ---- capabilities ---- */

#define SYS(number, member, bit) SMC_ATTR(SMC_NLA_SYS_##number, struct smc_sysinfo, member, bit)

static const struct smc_attr sysinfo_attrs[] = {
	SYS(VER, version, SMC_SYSINFO_HAS_VERSION),
	SYS(REL, release, SMC_SYSINFO_HAS_RELEASE),
	SYS(IS_ISM_V2, is_ism_v2, SMC_SYSINFO_HAS_ISM_V2),
	SYS(LOCAL_HOST, host, SMC_SYSINFO_HAS_HOST),
	SYS(SEID, seid, 0),
	SYS(IS_SMCR_V2, is_smcr_v2, 0),
	{ 0 },
};

int smc_sysinfo_decode(const struct nlmsghdr *nlh, void *arg)
{
	struct smc_sysinfo *info = arg;
	return smc_attr_decode(info, sizeof(*info), nlh, SMC_GEN_SYS_INFO, sysinfo_attrs);
}

/* ---- devices ---- */

#define PORT(number, member, bit) SMC_ATTR(SMC_NLA_DEV_PORT_##number, struct smc_port, member, bit)
#define DEVICE(number, member, bit)                                                                \
	SMC_ATTR(SMC_NLA_DEV_##number, struct smc_device, member, SMC_DEVICE_HAS_##bit)
/* A port is present unless the kernel marks it as invalid. */
#define DEVICE_PORT(number, index)                                                                 \
	{                                                                                          \
		number, SMC_ATTR_NEST, offsetof(struct smc_device, ports[index]),                  \
			.nest = port_attrs,                                                        \
			.seen = offsetof(struct smc_device, ports[index].is_there)                 \
	}

static const struct smc_attr port_attrs[] = {
	PORT(PNET_USR, is_user, SMC_PORT_HAS_USER),
	PORT(PNETID, pnetid, SMC_PORT_HAS_PNETID),
	PORT(NETDEV, ifindex, SMC_PORT_HAS_IFINDEX),
	PORT(STATE, is_active, SMC_PORT_HAS_STATE),
	PORT(VALID, is_there, 0),
	PORT(LNK_CNT, links, SMC_PORT_HAS_LINKS),
	{ 0 },
};

static const struct smc_attr device_attrs[] = {
	DEVICE(USE_CNT, use_count, USE_COUNT),
	DEVICE(IS_CRIT, is_crit, CRIT),
	DEVICE(PCI_FID, fid, FID),
	DEVICE(PCI_CHID, pchid, PCHID),
	DEVICE(PCI_VENDOR, vendor, VENDOR),
	DEVICE(PCI_DEVICE, device, DEVICE),
	DEVICE(PCI_ID, pci_id, PCI_ID),
	DEVICE_PORT(SMC_NLA_DEV_PORT, 0),
	DEVICE_PORT(SMC_NLA_DEV_PORT2, 1),
	DEVICE(IB_NAME, ib_name, IB_NAME),
	{ 0 },
};

int smc_device_decode(struct smc_device *device, const struct nlmsghdr *nlh)
{
	const size_t size = sizeof(*device);
	int ret = smc_attr_decode(device, size, nlh, SMC_GEN_DEV_SMCD, device_attrs);

	return ret ? smc_attr_decode(device, size, nlh, SMC_GEN_DEV_SMCR, device_attrs) : 0;
}

/* ---- link groups ---- */

#define LGR(number, member, bit)                                                                   \
	SMC_ATTR(SMC_NLA_LGR_##number, struct smc_lgr, member, SMC_LGR_HAS_##bit)
#define LATER_LGR(number, member, bit)                                                             \
	SMC_ATTR(SMC_ABI_LGR_##number, struct smc_lgr, member, SMC_LGR_HAS_##bit)
/* Attributes in the nest go into the same structure. */
#define COMMON(number)                                                                             \
	{                                                                                          \
		number, SMC_ATTR_NEST, .nest = v2_common, .seen = offsetof(struct smc_lgr, is_v2)  \
	}

/* The only nest whose numbers start at 0. */
static const struct smc_attr v2_common[] = {
	LGR(V2_VER, version, VERSION), LGR(V2_REL, release, RELEASE),		LGR(V2_OS, os, OS),
	LGR(V2_NEG_EID, eid, EID),     LGR(V2_PEER_HOST, peer_host, PEER_HOST), { 0 },
};

static const struct smc_attr v2_smcr[] = {
	LGR(R_V2_DIRECT, is_direct, DIRECT),
	LATER_LGR(R_V2_MAX_CONNS, max_conns, MAX_CONNS),
	LATER_LGR(R_V2_MAX_LINKS, max_links, MAX_LINKS),
	{ 0 },
};

static const struct smc_attr lgr_smcr[] = {
	LGR(R_ID, id, ID),
	LGR(R_ROLE, role, ROLE),
	LGR(R_TYPE, type, TYPE),
	LGR(R_PNETID, pnetid, PNETID),
	LGR(R_VLAN_ID, vlan, VLAN),
	LGR(R_CONNS_NUM, conns, CONNS),
	COMMON(SMC_NLA_LGR_R_V2_COMMON),
	{ SMC_NLA_LGR_R_V2, SMC_ATTR_NEST, .nest = v2_smcr },
	LGR(R_NET_COOKIE, net_cookie, NET_COOKIE),
	LGR(R_BUF_TYPE, buf_type, BUF_TYPE),
	LATER_LGR(R_SNDBUF_ALLOC, sndbuf, SNDBUF),
	LATER_LGR(R_RMB_ALLOC, rcvbuf, RCVBUF),
	{ 0 },
};

static const struct smc_attr lgr_smcd[] = {
	LGR(D_ID, id, ID),
	LGR(D_GID, gid, GID),
	LGR(D_PEER_GID, peer_gid, PEER_GID),
	LGR(D_VLAN_ID, vlan, VLAN),
	LGR(D_CONNS_NUM, conns, CONNS),
	LGR(D_PNETID, pnetid, PNETID),
	LGR(D_CHID, chid, CHID), /* 4 bytes, though <linux/smc.h> says u16 */
	COMMON(SMC_NLA_LGR_D_V2_COMMON),
	LATER_LGR(D_EXT_GID, ext_gid, EXT_GID),
	LATER_LGR(D_PEER_EXT_GID, peer_ext_gid, PEER_EXT_GID),
	LATER_LGR(D_SNDBUF_ALLOC, sndbuf, SNDBUF),
	LATER_LGR(D_DMB_ALLOC, rcvbuf, RCVBUF),
	{ 0 },
};

int smc_lgr_decode(struct smc_lgr *lgr, const struct nlmsghdr *nlh)
{
	int ret = smc_attr_decode(lgr, sizeof(*lgr), nlh, SMC_GEN_LGR_SMCR, lgr_smcr);

	return ret ? smc_attr_decode(lgr, sizeof(*lgr), nlh, SMC_GEN_LGR_SMCD, lgr_smcd) : 0;
}

/* ---- links ---- */

#define LINK(number, member, bit) SMC_ATTR(SMC_NLA_LINK_##number, struct smc_link, member, bit)

static const struct smc_attr link_attrs[] = {
	LINK(ID, id, SMC_LINK_HAS_ID),
	LINK(IB_DEV, ib_dev, SMC_LINK_HAS_IB_DEV),
	LINK(IB_PORT, ib_port, SMC_LINK_HAS_IB_PORT),
	LINK(GID, gid, 0),
	LINK(PEER_GID, peer_gid, 0),
	LINK(CONN_CNT, conns, SMC_LINK_HAS_CONNS),
	LINK(NET_DEV, ifindex, 0),
	LINK(UID, uid, SMC_LINK_HAS_UID),
	LINK(PEER_UID, peer_uid, SMC_LINK_HAS_PEER_UID),
	LINK(STATE, state, SMC_LINK_HAS_STATE),
	{ 0 },
};

int smc_link_decode(struct smc_link *link, const struct nlmsghdr *nlh)
{
	return smc_attr_decode(link, sizeof(*link), nlh, SMC_GEN_LINK_SMCR, link_attrs);
}
