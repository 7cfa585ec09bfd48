/* SPDX-License-Identifier: MIT */
/*
 * The kernel's SMC interfaces in their binary form, as in the newest kernel.
 *
 * Sources: <linux/smc_diag.h> and <linux/sock_diag.h>. Distributions ship headers older than the
 * kernels in use, so the numbers are defined here; tests/unit/test_abi.c compares them with the
 * installed headers as far as those define them. Generic netlink is in genl_abi.h.
 */
#pragma once

#include <stdint.h>

#include "smc/family.h"

#define SMC_MAX_PNETID_LEN 16
#define SMC_MAX_EID_LEN 32
#define SMC_IB_NAME_LEN 64
#define SMC_GID_TEXT_LEN 40

enum { SMC_DIAG_MODE_SMCR, SMC_DIAG_MODE_FALLBACK_TCP, SMC_DIAG_MODE_SMCD };

enum {
	SMC_DIAG_CONNINFO = 1,
	SMC_DIAG_LGRINFO,
	SMC_DIAG_SHUTDOWN,
	SMC_DIAG_DMBINFO,
	SMC_DIAG_FALLBACK,
	SMC_DIAG_MAX = SMC_DIAG_FALLBACK
};

/* Bit n - 1 of the request's ext byte requests attribute n of sock_diag. */
#define SMC_DIAG_EXT(attr) (1U << ((attr)-1))

/* diag_state: net/smc's enum smc_state, not in any UAPI header but in every answer. */
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
	uint16_t sport;	  /* network byte order */
	uint16_t dport;	  /* network byte order */
	uint32_t src[4];  /* network byte order */
	uint32_t dst[4];  /* network byte order */
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
	uint8_t shutdown; /* always 0: the attribute has the value */
	struct smc_abi_sockid id;
	uint32_t uid;
	/* Two words, as i386 aligns 64-bit members differently from all others. */
	uint32_t inode[2];
};

struct smc_diag_cursor {
	uint16_t reserved, wrap;
	uint32_t count;
};

/* Cursors and flags of received data, of sent data, and of the send buffer. */
struct smc_diag_conninfo {
	uint32_t token, sndbuf_size, rmbe_size, peer_rmbe_size;
	struct smc_diag_cursor rx_prod, rx_cons, tx_prod, tx_cons;
	uint8_t rx_prod_flags, rx_conn_state_flags, tx_prod_flags, tx_conn_state_flags;
	struct smc_diag_cursor tx_prep, tx_sent, tx_fin;
};

struct smc_diag_fallback {
	uint32_t reason, peer_diagnosis;
};

struct smc_abi_lgrinfo {
	uint8_t link_id;
	char ibname[SMC_IB_NAME_LEN];
	uint8_t ibport;
	char gid[SMC_GID_TEXT_LEN], peer_gid[SMC_GID_TEXT_LEN];
	uint8_t role; /* 0 client, 1 server */
};

/* 40 bytes up to kernel 6.7, 56 from 6.8 on, which has 128-bit GIDs. */
#define SMC_ABI_DMBINFO_OLD_LEN 40
struct smc_abi_dmbinfo {
	uint32_t linkid, pad;
	uint64_t peer_gid, my_gid;
	uint64_t token, peer_token;
	uint64_t peer_gid_ext, my_gid_ext;
};

#define SMC_ABI_CHID_LOOPBACK 0xffff

_Static_assert(sizeof(struct smc_abi_diag_req) == 52, "request size");
_Static_assert(sizeof(struct smc_abi_diag_msg) == 64, "base message size");
_Static_assert(sizeof(struct smc_abi_lgrinfo) == 147, "lgrinfo size");
_Static_assert(sizeof(struct smc_abi_dmbinfo) == 56, "dmbinfo size");
