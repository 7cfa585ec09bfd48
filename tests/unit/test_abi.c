// SPDX-License-Identifier: MIT
/*
 * lib/smc/abi.h against the headers that are installed. Most of it is decided while this compiles;
 * what older headers lack is left out.
 */
#include "test.h"

#include <linux/inet_diag.h>
#include <linux/smc.h>
#include <linux/smc_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "smc/abi.h"

#define SAME(a, b) _Static_assert((a) == (b), #a " is not " #b)
#define SAME_PLACE(ours, member, theirs, other)                                                    \
	SAME(offsetof(struct ours, member), offsetof(struct theirs, other));                       \
	SAME(sizeof(((struct ours *)0)->member), sizeof(((struct theirs *)0)->other))

#ifdef PF_SMC
SAME(AF_SMC, PF_SMC);
#endif
SAME(AF_SMC, 43);
SAME(IPPROTO_SMC, 256);
#ifdef SMC_MAX_EID_LEN
SAME(SMC_MAX_EID_LEN, 32);
#endif
SAME(SMC_IB_NAME_LEN, IB_DEVICE_NAME_MAX);

SAME((int)SMC_ABI_DIAG_CONNINFO, (int)SMC_DIAG_CONNINFO);
SAME((int)SMC_ABI_DIAG_LGRINFO, (int)SMC_DIAG_LGRINFO);
SAME((int)SMC_ABI_DIAG_SHUTDOWN, (int)SMC_DIAG_SHUTDOWN);
SAME((int)SMC_ABI_DIAG_DMBINFO, (int)SMC_DIAG_DMBINFO);
SAME((int)SMC_ABI_DIAG_FALLBACK, (int)SMC_DIAG_FALLBACK);

SAME((int)SMC_ABI_MODE_SMCR, (int)SMC_DIAG_MODE_SMCR);
SAME((int)SMC_ABI_MODE_TCP, (int)SMC_DIAG_MODE_FALLBACK_TCP);
SAME((int)SMC_ABI_MODE_SMCD, (int)SMC_DIAG_MODE_SMCD);

/* Generic netlink. What kernels after 6.1 added is not in every header; an enum cannot be asked. */
#define SAME_NUMBER(ours, theirs) SAME((int)SMC_ABI_##ours, (int)theirs)
SAME_NUMBER(GET_SYS_INFO, SMC_NETLINK_GET_SYS_INFO);
SAME_NUMBER(GET_LGR_SMCR, SMC_NETLINK_GET_LGR_SMCR);
SAME_NUMBER(GET_LINK_SMCR, SMC_NETLINK_GET_LINK_SMCR);
SAME_NUMBER(GET_LGR_SMCD, SMC_NETLINK_GET_LGR_SMCD);
SAME_NUMBER(GET_DEV_SMCD, SMC_NETLINK_GET_DEV_SMCD);
SAME_NUMBER(GET_DEV_SMCR, SMC_NETLINK_GET_DEV_SMCR);
SAME_NUMBER(GET_STATS, SMC_NETLINK_GET_STATS);
SAME_NUMBER(GET_FBACK_STATS, SMC_NETLINK_GET_FBACK_STATS);
SAME_NUMBER(DUMP_UEID, SMC_NETLINK_DUMP_UEID);
SAME_NUMBER(ADD_UEID, SMC_NETLINK_ADD_UEID);
SAME_NUMBER(REMOVE_UEID, SMC_NETLINK_REMOVE_UEID);
SAME_NUMBER(FLUSH_UEID, SMC_NETLINK_FLUSH_UEID);
SAME_NUMBER(DUMP_SEID, SMC_NETLINK_DUMP_SEID);
SAME_NUMBER(ENABLE_SEID, SMC_NETLINK_ENABLE_SEID);
SAME_NUMBER(DISABLE_SEID, SMC_NETLINK_DISABLE_SEID);
SAME_NUMBER(DUMP_HS_LIMITATION, SMC_NETLINK_DUMP_HS_LIMITATION);
SAME_NUMBER(ENABLE_HS_LIMITATION, SMC_NETLINK_ENABLE_HS_LIMITATION);
SAME_NUMBER(DISABLE_HS_LIMITATION, SMC_NETLINK_DISABLE_HS_LIMITATION);
SAME_NUMBER(GEN_SYS_INFO, SMC_GEN_SYS_INFO);
SAME_NUMBER(GEN_LGR_SMCR, SMC_GEN_LGR_SMCR);
SAME_NUMBER(GEN_LINK_SMCR, SMC_GEN_LINK_SMCR);
SAME_NUMBER(GEN_LGR_SMCD, SMC_GEN_LGR_SMCD);
SAME_NUMBER(GEN_DEV_SMCD, SMC_GEN_DEV_SMCD);
SAME_NUMBER(GEN_DEV_SMCR, SMC_GEN_DEV_SMCR);
SAME_NUMBER(GEN_STATS, SMC_GEN_STATS);
SAME_NUMBER(GEN_FBACK_STATS, SMC_GEN_FBACK_STATS);
SAME_NUMBER(SYS_VER, SMC_NLA_SYS_VER);
SAME_NUMBER(SYS_REL, SMC_NLA_SYS_REL);
SAME_NUMBER(SYS_IS_ISM_V2, SMC_NLA_SYS_IS_ISM_V2);
SAME_NUMBER(SYS_LOCAL_HOST, SMC_NLA_SYS_LOCAL_HOST);
SAME_NUMBER(SYS_SEID, SMC_NLA_SYS_SEID);
SAME_NUMBER(SYS_IS_SMCR_V2, SMC_NLA_SYS_IS_SMCR_V2);
SAME_NUMBER(LGR_R_ID, SMC_NLA_LGR_R_ID);
SAME_NUMBER(LGR_R_ROLE, SMC_NLA_LGR_R_ROLE);
SAME_NUMBER(LGR_R_TYPE, SMC_NLA_LGR_R_TYPE);
SAME_NUMBER(LGR_R_PNETID, SMC_NLA_LGR_R_PNETID);
SAME_NUMBER(LGR_R_VLAN_ID, SMC_NLA_LGR_R_VLAN_ID);
SAME_NUMBER(LGR_R_CONNS_NUM, SMC_NLA_LGR_R_CONNS_NUM);
SAME_NUMBER(LGR_R_V2_COMMON, SMC_NLA_LGR_R_V2_COMMON);
SAME_NUMBER(LGR_R_V2, SMC_NLA_LGR_R_V2);
SAME_NUMBER(LGR_R_NET_COOKIE, SMC_NLA_LGR_R_NET_COOKIE);
SAME_NUMBER(LGR_R_BUF_TYPE, SMC_NLA_LGR_R_BUF_TYPE);
SAME_NUMBER(LGR_R_V2_DIRECT, SMC_NLA_LGR_R_V2_DIRECT);
SAME_NUMBER(LGR_V2_VER, SMC_NLA_LGR_V2_VER);
SAME_NUMBER(LGR_V2_REL, SMC_NLA_LGR_V2_REL);
SAME_NUMBER(LGR_V2_OS, SMC_NLA_LGR_V2_OS);
SAME_NUMBER(LGR_V2_NEG_EID, SMC_NLA_LGR_V2_NEG_EID);
SAME_NUMBER(LGR_V2_PEER_HOST, SMC_NLA_LGR_V2_PEER_HOST);
SAME_NUMBER(LGR_D_ID, SMC_NLA_LGR_D_ID);
SAME_NUMBER(LGR_D_GID, SMC_NLA_LGR_D_GID);
SAME_NUMBER(LGR_D_PEER_GID, SMC_NLA_LGR_D_PEER_GID);
SAME_NUMBER(LGR_D_VLAN_ID, SMC_NLA_LGR_D_VLAN_ID);
SAME_NUMBER(LGR_D_CONNS_NUM, SMC_NLA_LGR_D_CONNS_NUM);
SAME_NUMBER(LGR_D_PNETID, SMC_NLA_LGR_D_PNETID);
SAME_NUMBER(LGR_D_CHID, SMC_NLA_LGR_D_CHID);
SAME_NUMBER(LGR_D_V2_COMMON, SMC_NLA_LGR_D_V2_COMMON);
SAME_NUMBER(LINK_ID, SMC_NLA_LINK_ID);
SAME_NUMBER(LINK_IB_DEV, SMC_NLA_LINK_IB_DEV);
SAME_NUMBER(LINK_IB_PORT, SMC_NLA_LINK_IB_PORT);
SAME_NUMBER(LINK_GID, SMC_NLA_LINK_GID);
SAME_NUMBER(LINK_PEER_GID, SMC_NLA_LINK_PEER_GID);
SAME_NUMBER(LINK_CONN_CNT, SMC_NLA_LINK_CONN_CNT);
SAME_NUMBER(LINK_NET_DEV, SMC_NLA_LINK_NET_DEV);
SAME_NUMBER(LINK_UID, SMC_NLA_LINK_UID);
SAME_NUMBER(LINK_PEER_UID, SMC_NLA_LINK_PEER_UID);
SAME_NUMBER(LINK_STATE, SMC_NLA_LINK_STATE);
SAME_NUMBER(DEV_USE_CNT, SMC_NLA_DEV_USE_CNT);
SAME_NUMBER(DEV_IS_CRIT, SMC_NLA_DEV_IS_CRIT);
SAME_NUMBER(DEV_PCI_FID, SMC_NLA_DEV_PCI_FID);
SAME_NUMBER(DEV_PCI_CHID, SMC_NLA_DEV_PCI_CHID);
SAME_NUMBER(DEV_PCI_VENDOR, SMC_NLA_DEV_PCI_VENDOR);
SAME_NUMBER(DEV_PCI_DEVICE, SMC_NLA_DEV_PCI_DEVICE);
SAME_NUMBER(DEV_PCI_ID, SMC_NLA_DEV_PCI_ID);
SAME_NUMBER(DEV_PORT, SMC_NLA_DEV_PORT);
SAME_NUMBER(DEV_PORT2, SMC_NLA_DEV_PORT2);
SAME_NUMBER(DEV_IB_NAME, SMC_NLA_DEV_IB_NAME);
SAME_NUMBER(PORT_PNET_USR, SMC_NLA_DEV_PORT_PNET_USR);
SAME_NUMBER(PORT_PNETID, SMC_NLA_DEV_PORT_PNETID);
SAME_NUMBER(PORT_NETDEV, SMC_NLA_DEV_PORT_NETDEV);
SAME_NUMBER(PORT_STATE, SMC_NLA_DEV_PORT_STATE);
SAME_NUMBER(PORT_VALID, SMC_NLA_DEV_PORT_VALID);
SAME_NUMBER(PORT_LNK_CNT, SMC_NLA_DEV_PORT_LNK_CNT);
SAME_NUMBER(STATS_SMCD_TECH, SMC_NLA_STATS_SMCD_TECH);
SAME_NUMBER(STATS_SMCR_TECH, SMC_NLA_STATS_SMCR_TECH);
SAME_NUMBER(STATS_CLNT_HS_ERR, SMC_NLA_STATS_CLNT_HS_ERR_CNT);
SAME_NUMBER(STATS_SRV_HS_ERR, SMC_NLA_STATS_SRV_HS_ERR_CNT);
SAME_NUMBER(TECH_TX_RMB_SIZE, SMC_NLA_STATS_T_TX_RMB_SIZE);
SAME_NUMBER(TECH_RX_RMB_SIZE, SMC_NLA_STATS_T_RX_RMB_SIZE);
SAME_NUMBER(TECH_TX_PLOAD_SIZE, SMC_NLA_STATS_T_TXPLOAD_SIZE);
SAME_NUMBER(TECH_RX_PLOAD_SIZE, SMC_NLA_STATS_T_RXPLOAD_SIZE);
SAME_NUMBER(TECH_TX_RMB_STATS, SMC_NLA_STATS_T_TX_RMB_STATS);
SAME_NUMBER(TECH_RX_RMB_STATS, SMC_NLA_STATS_T_RX_RMB_STATS);
SAME_NUMBER(TECH_CLNT_V1_SUCC, SMC_NLA_STATS_T_CLNT_V1_SUCC);
SAME_NUMBER(TECH_CLNT_V2_SUCC, SMC_NLA_STATS_T_CLNT_V2_SUCC);
SAME_NUMBER(TECH_SRV_V1_SUCC, SMC_NLA_STATS_T_SRV_V1_SUCC);
SAME_NUMBER(TECH_SRV_V2_SUCC, SMC_NLA_STATS_T_SRV_V2_SUCC);
SAME_NUMBER(TECH_SENDPAGE, SMC_NLA_STATS_T_SENDPAGE_CNT);
SAME_NUMBER(TECH_SPLICE, SMC_NLA_STATS_T_SPLICE_CNT);
SAME_NUMBER(TECH_CORK, SMC_NLA_STATS_T_CORK_CNT);
SAME_NUMBER(TECH_NDLY, SMC_NLA_STATS_T_NDLY_CNT);
SAME_NUMBER(TECH_URG_DATA, SMC_NLA_STATS_T_URG_DATA_CNT);
SAME_NUMBER(TECH_RX_BYTES, SMC_NLA_STATS_T_RX_BYTES);
SAME_NUMBER(TECH_TX_BYTES, SMC_NLA_STATS_T_TX_BYTES);
SAME_NUMBER(TECH_RX_CNT, SMC_NLA_STATS_T_RX_CNT);
SAME_NUMBER(TECH_TX_CNT, SMC_NLA_STATS_T_TX_CNT);
SAME_NUMBER(FBACK_TYPE, SMC_NLA_FBACK_STATS_TYPE);
SAME_NUMBER(FBACK_SRV_CNT, SMC_NLA_FBACK_STATS_SRV_CNT);
SAME_NUMBER(FBACK_CLNT_CNT, SMC_NLA_FBACK_STATS_CLNT_CNT);
SAME_NUMBER(FBACK_RSN_CODE, SMC_NLA_FBACK_STATS_RSN_CODE);
SAME_NUMBER(FBACK_RSN_CNT, SMC_NLA_FBACK_STATS_RSN_CNT);
SAME_NUMBER(EID_TABLE_ENTRY, SMC_NLA_EID_TABLE_ENTRY);
SAME_NUMBER(SEID_ENTRY, SMC_NLA_SEID_ENTRY);
SAME_NUMBER(SEID_ENABLED, SMC_NLA_SEID_ENABLED);
SAME_NUMBER(HS_LIMITATION_ENABLED, SMC_NLA_HS_LIMITATION_ENABLED);

SAME(SMC_DIAG_EXT(SMC_ABI_DIAG_CONNINFO), 1);
SAME(SMC_DIAG_EXT(SMC_ABI_DIAG_LGRINFO), 2);
SAME(SMC_DIAG_EXT(SMC_ABI_DIAG_DMBINFO), 8);

SAME(sizeof(struct smc_abi_sockid), sizeof(struct inet_diag_sockid));
SAME_PLACE(smc_abi_sockid, sport, inet_diag_sockid, idiag_sport);
SAME_PLACE(smc_abi_sockid, dport, inet_diag_sockid, idiag_dport);
SAME_PLACE(smc_abi_sockid, src, inet_diag_sockid, idiag_src);
SAME_PLACE(smc_abi_sockid, dst, inet_diag_sockid, idiag_dst);
SAME_PLACE(smc_abi_sockid, ifindex, inet_diag_sockid, idiag_if);
SAME_PLACE(smc_abi_sockid, cookie, inet_diag_sockid, idiag_cookie);

SAME(sizeof(struct smc_abi_diag_req), sizeof(struct smc_diag_req));
SAME_PLACE(smc_abi_diag_req, family, smc_diag_req, diag_family);
SAME_PLACE(smc_abi_diag_req, ext, smc_diag_req, diag_ext);
SAME_PLACE(smc_abi_diag_req, id, smc_diag_req, id);

SAME(sizeof(struct smc_abi_diag_msg), sizeof(struct smc_diag_msg));
SAME_PLACE(smc_abi_diag_msg, family, smc_diag_msg, diag_family);
SAME_PLACE(smc_abi_diag_msg, state, smc_diag_msg, diag_state);
SAME_PLACE(smc_abi_diag_msg, mode, smc_diag_msg, diag_fallback);
SAME_PLACE(smc_abi_diag_msg, shutdown, smc_diag_msg, diag_shutdown);
SAME_PLACE(smc_abi_diag_msg, id, smc_diag_msg, id);
SAME_PLACE(smc_abi_diag_msg, uid, smc_diag_msg, diag_uid);
SAME_PLACE(smc_abi_diag_msg, inode, smc_diag_msg, diag_inode);

SAME(sizeof(struct smc_abi_conninfo), sizeof(struct smc_diag_conninfo));
SAME_PLACE(smc_abi_conninfo, token, smc_diag_conninfo, token);
SAME_PLACE(smc_abi_conninfo, sndbuf_size, smc_diag_conninfo, sndbuf_size);
SAME_PLACE(smc_abi_conninfo, rmbe_size, smc_diag_conninfo, rmbe_size);
SAME_PLACE(smc_abi_conninfo, peer_rmbe_size, smc_diag_conninfo, peer_rmbe_size);
SAME_PLACE(smc_abi_conninfo, rx_prod, smc_diag_conninfo, rx_prod);
SAME_PLACE(smc_abi_conninfo, rx_cons, smc_diag_conninfo, rx_cons);
SAME_PLACE(smc_abi_conninfo, tx_prod, smc_diag_conninfo, tx_prod);
SAME_PLACE(smc_abi_conninfo, tx_cons, smc_diag_conninfo, tx_cons);
SAME_PLACE(smc_abi_conninfo, rx_prod_flags, smc_diag_conninfo, rx_prod_flags);
SAME_PLACE(smc_abi_conninfo, rx_conn_state_flags, smc_diag_conninfo, rx_conn_state_flags);
SAME_PLACE(smc_abi_conninfo, tx_prod_flags, smc_diag_conninfo, tx_prod_flags);
SAME_PLACE(smc_abi_conninfo, tx_conn_state_flags, smc_diag_conninfo, tx_conn_state_flags);
SAME_PLACE(smc_abi_conninfo, tx_prep, smc_diag_conninfo, tx_prep);
SAME_PLACE(smc_abi_conninfo, tx_sent, smc_diag_conninfo, tx_sent);
SAME_PLACE(smc_abi_conninfo, tx_fin, smc_diag_conninfo, tx_fin);
SAME_PLACE(smc_abi_cursor, wrap, smc_diag_cursor, wrap);
SAME_PLACE(smc_abi_cursor, count, smc_diag_cursor, count);

SAME(sizeof(struct smc_abi_lgrinfo), sizeof(struct smc_diag_lgrinfo));
SAME_PLACE(smc_abi_lgrinfo, link_id, smc_diag_lgrinfo, lnk[0].link_id);
SAME_PLACE(smc_abi_lgrinfo, ibname, smc_diag_lgrinfo, lnk[0].ibname);
SAME_PLACE(smc_abi_lgrinfo, ibport, smc_diag_lgrinfo, lnk[0].ibport);
SAME_PLACE(smc_abi_lgrinfo, gid, smc_diag_lgrinfo, lnk[0].gid);
SAME_PLACE(smc_abi_lgrinfo, peer_gid, smc_diag_lgrinfo, lnk[0].peer_gid);
SAME_PLACE(smc_abi_lgrinfo, role, smc_diag_lgrinfo, role);

/* Headers before 6.8 end after peer_token. */
_Static_assert(sizeof(struct smcd_diag_dmbinfo) == SMC_ABI_DMBINFO_OLD_LEN ||
		       sizeof(struct smcd_diag_dmbinfo) == sizeof(struct smc_abi_dmbinfo),
	       "DMBINFO has grown again");
SAME_PLACE(smc_abi_dmbinfo, linkid, smcd_diag_dmbinfo, linkid);
SAME_PLACE(smc_abi_dmbinfo, peer_gid, smcd_diag_dmbinfo, peer_gid);
SAME_PLACE(smc_abi_dmbinfo, my_gid, smcd_diag_dmbinfo, my_gid);
SAME_PLACE(smc_abi_dmbinfo, token, smcd_diag_dmbinfo, token);
SAME_PLACE(smc_abi_dmbinfo, peer_token, smcd_diag_dmbinfo, peer_token);
SAME(offsetof(struct smc_abi_dmbinfo, peer_gid_ext), SMC_ABI_DMBINFO_OLD_LEN);
SAME(offsetof(struct smc_abi_dmbinfo, my_gid_ext), SMC_ABI_DMBINFO_OLD_LEN + 8);

SAME(sizeof(struct smc_abi_fallback), sizeof(struct smc_diag_fallback));
SAME_PLACE(smc_abi_fallback, reason, smc_diag_fallback, reason);
SAME_PLACE(smc_abi_fallback, peer_diagnosis, smc_diag_fallback, peer_diagnosis);

/* No attribute that this project has never heard of. */
static void newest_attribute(void **state)
{
	(void)state;
	assert_true(SMC_DIAG_MAX >= SMC_ABI_DIAG_FALLBACK);
	if (SMC_DIAG_MAX > SMC_ABI_DIAG_FALLBACK)
		print_message("# <linux/smc_diag.h> has newer attributes, up to %d\n",
			      SMC_DIAG_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newest_attribute),
	};

	return cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
