/* SPDX-License-Identifier: MIT */
/*
 * The kernel's SMC interfaces as they are on the wire, newest kernel first in mind.
 *
 * Facts from <linux/smc.h>, <linux/smc_diag.h> and <linux/sock_diag.h>. Distributions ship older
 * headers than the kernels that people run, so the numbers live here; tests/unit/test_abi.c
 * compares them with the installed headers wherever those know them.
 */
#pragma once

/* First: glibc 2.41 has an enumerator IPPROTO_SMC there, and a macro of that name. */
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

#ifndef AF_SMC
#define AF_SMC 43
#endif
#ifndef IPPROTO_SMC
#define IPPROTO_SMC 256 /* kernel 6.11 */
#endif

#define SMCPROTO_SMC 0	/* third argument of socket(AF_SMC, ...): IPv4 */
#define SMCPROTO_SMC6 1 /* IPv6 */

#define SMC_MAX_PNETID_LEN 16
#define SMC_MAX_EID_LEN 32
#define SMC_IB_NAME_LEN 64
#define SMC_GID_TEXT_LEN 40

/* sock_diag attributes; attribute n is asked for by bit n - 1 of the request's ext byte. */
enum {
	SMC_ABI_DIAG_CONNINFO = 1,
	SMC_ABI_DIAG_LGRINFO = 2,
	SMC_ABI_DIAG_SHUTDOWN = 3,
	SMC_ABI_DIAG_DMBINFO = 4,
	SMC_ABI_DIAG_FALLBACK = 5,
};

#define SMC_DIAG_EXT(attr) (1U << ((attr)-1))

/* diag_mode */
enum {
	SMC_ABI_MODE_SMCR = 0,
	SMC_ABI_MODE_TCP = 1,
	SMC_ABI_MODE_SMCD = 2,
};

/* diag_state: net/smc's enum smc_state, part of no UAPI header but of every answer. */
enum {
	SMC_ABI_ACTIVE = 1,
	SMC_ABI_INIT = 2,
	SMC_ABI_CLOSED = 7,
	SMC_ABI_LISTEN = 10,
	SMC_ABI_PEERCLOSEWAIT1 = 20,
	SMC_ABI_PEERCLOSEWAIT2 = 21,
	SMC_ABI_APPCLOSEWAIT1 = 22,
	SMC_ABI_APPCLOSEWAIT2 = 23,
	SMC_ABI_APPFINCLOSEWAIT = 24,
	SMC_ABI_PEERFINCLOSEWAIT = 25,
	SMC_ABI_PEERABORTWAIT = 26,
	SMC_ABI_PROCESSABORT = 27,
};

struct smc_abi_sockid {
	uint16_t sport;	  /* network order */
	uint16_t dport;	  /* network order */
	uint32_t src[4];  /* network order */
	uint32_t dst[4];  /* network order */
	uint32_t ifindex; /* bound device, 0 for none */
	uint32_t cookie[2];
};

struct smc_abi_diag_req {
	uint8_t family, pad[2], ext;
	struct smc_abi_sockid id; /* ignored by every kernel so far */
};

struct smc_abi_diag_msg {
	uint8_t family;
	uint8_t state;
	uint8_t mode;
	uint8_t shutdown; /* always 0: the attribute counts */
	struct smc_abi_sockid id;
	uint32_t uid;
	/* Two words, as i386 would otherwise align the inode differently from everyone else. */
	uint32_t inode[2];
};

struct smc_abi_cursor {
	uint16_t reserved;
	uint16_t wrap;
	uint32_t count;
};

struct smc_abi_conninfo {
	uint32_t token;
	uint32_t sndbuf_size, rmbe_size, peer_rmbe_size;
	struct smc_abi_cursor rx_prod, rx_cons, tx_prod, tx_cons;
	uint8_t rx_prod_flags, rx_conn_state_flags;
	uint8_t tx_prod_flags, tx_conn_state_flags;
	struct smc_abi_cursor tx_prep, tx_sent, tx_fin;
};

struct smc_abi_lgrinfo {
	uint8_t link_id;
	char ibname[SMC_IB_NAME_LEN];
	uint8_t ibport;
	char gid[SMC_GID_TEXT_LEN], peer_gid[SMC_GID_TEXT_LEN];
	uint8_t role; /* 0 client, 1 server */
};

/* 40 bytes up to kernel 6.7, 56 from 6.8 on, where GIDs have 128 bits. */
#define SMC_ABI_DMBINFO_OLD_LEN 40
struct smc_abi_dmbinfo {
	uint32_t linkid, pad;
	uint64_t peer_gid, my_gid;
	uint64_t token, peer_token;
	uint64_t peer_gid_ext, my_gid_ext;
};

struct smc_abi_fallback {
	uint32_t reason, peer_diagnosis;
};

/* Generic netlink family SMC_GEN_NETLINK: commands. Kernel 5.11 has 1 to 6, 5.18 has all. */
#define SMC_ABI_GEN_FAMILY "SMC_GEN_NETLINK"
enum {
	SMC_ABI_GET_SYS_INFO = 1,
	SMC_ABI_GET_LGR_SMCR = 2,
	SMC_ABI_GET_LINK_SMCR = 3, /* answers with messages of commands 2 and 3 */
	SMC_ABI_GET_LGR_SMCD = 4,
	SMC_ABI_GET_DEV_SMCD = 5,
	SMC_ABI_GET_DEV_SMCR = 6,
	SMC_ABI_GET_STATS = 7,
	SMC_ABI_GET_FBACK_STATS = 8,
	SMC_ABI_DUMP_UEID = 9,
	SMC_ABI_ADD_UEID = 10,
	SMC_ABI_REMOVE_UEID = 11,
	SMC_ABI_FLUSH_UEID = 12,
	SMC_ABI_DUMP_SEID = 13,
	SMC_ABI_ENABLE_SEID = 14,
	SMC_ABI_DISABLE_SEID = 15,
	SMC_ABI_DUMP_HS_LIMITATION = 16,
	SMC_ABI_ENABLE_HS_LIMITATION = 17,
	SMC_ABI_DISABLE_HS_LIMITATION = 18,
};

/* The nests that carry the answers of commands 1 to 8. */
enum {
	SMC_ABI_GEN_SYS_INFO = 1,
	SMC_ABI_GEN_LGR_SMCR = 2,
	SMC_ABI_GEN_LINK_SMCR = 3,
	SMC_ABI_GEN_LGR_SMCD = 4,
	SMC_ABI_GEN_DEV_SMCD = 5,
	SMC_ABI_GEN_DEV_SMCR = 6,
	SMC_ABI_GEN_STATS = 7,
	SMC_ABI_GEN_FBACK_STATS = 8,
};

enum {
	SMC_ABI_SYS_VER = 1,
	SMC_ABI_SYS_REL = 2,
	SMC_ABI_SYS_IS_ISM_V2 = 3,
	SMC_ABI_SYS_LOCAL_HOST = 4,
	SMC_ABI_SYS_SEID = 5,
	SMC_ABI_SYS_IS_SMCR_V2 = 6,
};

enum {
	SMC_ABI_LGR_R_ID = 1,
	SMC_ABI_LGR_R_ROLE = 2,
	SMC_ABI_LGR_R_TYPE = 3,
	SMC_ABI_LGR_R_PNETID = 4,
	SMC_ABI_LGR_R_VLAN_ID = 5, /* low 8 bits of it */
	SMC_ABI_LGR_R_CONNS_NUM = 6,
	SMC_ABI_LGR_R_V2_COMMON = 7,
	SMC_ABI_LGR_R_V2 = 8,		 /* 5.16 */
	SMC_ABI_LGR_R_NET_COOKIE = 9,	 /* 5.17 */
	SMC_ABI_LGR_R_BUF_TYPE = 11,	 /* 6.0 */
	SMC_ABI_LGR_R_SNDBUF_ALLOC = 12, /* 6.12, and the next */
	SMC_ABI_LGR_R_RMB_ALLOC = 13,
};

enum {
	SMC_ABI_LGR_R_V2_DIRECT = 1,
	SMC_ABI_LGR_R_V2_MAX_CONNS = 2, /* 6.6, and the next */
	SMC_ABI_LGR_R_V2_MAX_LINKS = 3,
};

/* The one nest whose numbers start at 0. */
enum {
	SMC_ABI_LGR_V2_VER = 0,
	SMC_ABI_LGR_V2_REL = 1,
	SMC_ABI_LGR_V2_OS = 2,
	SMC_ABI_LGR_V2_NEG_EID = 3,
	SMC_ABI_LGR_V2_PEER_HOST = 4,
};

enum {
	SMC_ABI_LGR_D_ID = 1,
	SMC_ABI_LGR_D_GID = 2,
	SMC_ABI_LGR_D_PEER_GID = 3,
	SMC_ABI_LGR_D_VLAN_ID = 4,
	SMC_ABI_LGR_D_CONNS_NUM = 5,
	SMC_ABI_LGR_D_PNETID = 6,
	SMC_ABI_LGR_D_CHID = 7, /* 4 bytes, though <linux/smc.h> says u16 */
	SMC_ABI_LGR_D_V2_COMMON = 9,
	SMC_ABI_LGR_D_EXT_GID = 10, /* 6.8, and the next */
	SMC_ABI_LGR_D_PEER_EXT_GID = 11,
	SMC_ABI_LGR_D_SNDBUF_ALLOC = 12, /* 6.12, and the next */
	SMC_ABI_LGR_D_DMB_ALLOC = 13,
};

#define SMC_ABI_CHID_LOOPBACK 0xffff

enum {
	SMC_ABI_LINK_ID = 1,
	SMC_ABI_LINK_IB_DEV = 2,
	SMC_ABI_LINK_IB_PORT = 3,
	SMC_ABI_LINK_GID = 4,
	SMC_ABI_LINK_PEER_GID = 5,
	SMC_ABI_LINK_CONN_CNT = 6,
	SMC_ABI_LINK_NET_DEV = 7,
	SMC_ABI_LINK_UID = 8,
	SMC_ABI_LINK_PEER_UID = 9,
	SMC_ABI_LINK_STATE = 10,
};

enum {
	SMC_ABI_DEV_USE_CNT = 1,
	SMC_ABI_DEV_IS_CRIT = 2,
	SMC_ABI_DEV_PCI_FID = 3,
	SMC_ABI_DEV_PCI_CHID = 4,
	SMC_ABI_DEV_PCI_VENDOR = 5,
	SMC_ABI_DEV_PCI_DEVICE = 6,
	SMC_ABI_DEV_PCI_ID = 7,
	SMC_ABI_DEV_PORT = 8,
	SMC_ABI_DEV_PORT2 = 9,
	SMC_ABI_DEV_IB_NAME = 10,
};

enum {
	SMC_ABI_PORT_PNET_USR = 1,
	SMC_ABI_PORT_PNETID = 2,
	SMC_ABI_PORT_NETDEV = 3,
	SMC_ABI_PORT_STATE = 4,
	SMC_ABI_PORT_VALID = 5,
	SMC_ABI_PORT_LNK_CNT = 6,
};

enum {
	SMC_ABI_STATS_SMCD_TECH = 1,
	SMC_ABI_STATS_SMCR_TECH = 2,
	SMC_ABI_STATS_CLNT_HS_ERR = 3,
	SMC_ABI_STATS_SRV_HS_ERR = 4,
};

enum {
	SMC_ABI_TECH_TX_RMB_SIZE = 1, /* nests up to 6 */
	SMC_ABI_TECH_RX_RMB_SIZE = 2,
	SMC_ABI_TECH_TX_PLOAD_SIZE = 3,
	SMC_ABI_TECH_RX_PLOAD_SIZE = 4,
	SMC_ABI_TECH_TX_RMB_STATS = 5,
	SMC_ABI_TECH_RX_RMB_STATS = 6,
	SMC_ABI_TECH_CLNT_V1_SUCC = 7,
	SMC_ABI_TECH_CLNT_V2_SUCC = 8,
	SMC_ABI_TECH_SRV_V1_SUCC = 9,
	SMC_ABI_TECH_SRV_V2_SUCC = 10,
	SMC_ABI_TECH_SENDPAGE = 11,
	SMC_ABI_TECH_SPLICE = 12,
	SMC_ABI_TECH_CORK = 13,
	SMC_ABI_TECH_NDLY = 14,
	SMC_ABI_TECH_URG_DATA = 15,
	SMC_ABI_TECH_RX_BYTES = 16,
	SMC_ABI_TECH_TX_BYTES = 17,
	SMC_ABI_TECH_RX_CNT = 18,
	SMC_ABI_TECH_TX_CNT = 19,
	SMC_ABI_TECH_RX_RMB_USAGE = 20, /* 6.12, and the next */
	SMC_ABI_TECH_TX_RMB_USAGE = 21,
};

enum {
	SMC_ABI_FBACK_TYPE = 1, /* 0 client, 1 server */
	SMC_ABI_FBACK_SRV_CNT = 2,
	SMC_ABI_FBACK_CLNT_CNT = 3,
	SMC_ABI_FBACK_RSN_CODE = 4,
	SMC_ABI_FBACK_RSN_CNT = 5, /* 2 bytes: wraps at 65536 */
};

enum { SMC_ABI_EID_TABLE_ENTRY = 1 };

enum {
	SMC_ABI_SEID_ENTRY = 1,
	SMC_ABI_SEID_ENABLED = 2,
};

enum { SMC_ABI_HS_LIMITATION_ENABLED = 1 };

/* Generic netlink family SMC_PNETID, in <linux/smc.h> since kernel 4.11: commands. */
#define SMC_ABI_PNET_FAMILY "SMC_PNETID"
enum {
	SMC_ABI_PNET_GET = 1,
	SMC_ABI_PNET_ADD = 2,
	SMC_ABI_PNET_DEL = 3,
	SMC_ABI_PNET_FLUSH = 4,
};

enum {
	SMC_ABI_PNET_NAME = 1,
	SMC_ABI_PNET_ETHNAME = 2,
	SMC_ABI_PNET_IBNAME = 3,
	SMC_ABI_PNET_IBPORT = 4,
};

_Static_assert(sizeof(struct smc_abi_diag_req) == 52, "request size");
_Static_assert(sizeof(struct smc_abi_diag_msg) == 64, "base message size");
_Static_assert(sizeof(struct smc_abi_conninfo) == 76, "conninfo size");
_Static_assert(sizeof(struct smc_abi_lgrinfo) == 147, "lgrinfo size");
_Static_assert(sizeof(struct smc_abi_dmbinfo) == 56, "dmbinfo size");
