/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Types and helpers for SMC sockets in eBPF programs: types of <net/smc/smc.h>, smc_core.h and
 * smc_ib.h, if smc.ko has type information, and the TCP socket inside, which is found without it.
 */
#pragma once

#include "bpf/kernel.bpf.h"

enum {
	LINKS = 3, /* links of a link group */
};

/* Copied as a whole. */
union smc_host_cursor {
	struct {
		__u16 reserved, wrap;
		__u32 count;
	};
};

struct smc_host_cdc_msg {
	union smc_host_cursor prod, cons;
} KERNEL;

struct smc_buf_desc {
	void *cpu_addr;
	int len;
} KERNEL;

struct ib_device {
	char name[64];
} KERNEL;

struct smc_ib_device {
	struct ib_device *ibdev;
} KERNEL;

typedef struct {
	int counter;
} atomic_t;

struct smc_link_group;

/* From <net/smc/smc_core.h>. */
enum smc_link_state {
	SMC_LNK_ACTIVE = 3,
};

struct smc_link {
	struct smc_ib_device *smcibdev;
	__u8 ibport, link_id, link_idx;
	struct smc_link_group *lgr;
	char ibname[64];
	enum smc_link_state state;
	atomic_t conn_cnt;
} KERNEL;

struct smc_link_group {
	__u8 id[4];
	bool is_smcd;
	struct smc_link lnk[LINKS];
	struct net *net;
} KERNEL;

struct smc_connection {
	struct smc_link_group *lgr;
	struct smc_buf_desc *sndbuf_desc, *rmb_desc;
	struct smc_host_cdc_msg local_tx_ctrl;
	union smc_host_cursor tx_curs_prep;
	atomic_t splice_pending;
	__u8 rx_off;
} KERNEL;

struct smc_sock {
	struct socket *clcsock;
	struct smc_connection conn;
	bool use_fallback;
	__u32 fallback_rsn, peer_diagnosis;
} KERNEL;

/* Check the pointer at @offset: its sock must point back to the same struct socket. */
static inline struct sock *inside_at(const struct smc_sock *smc, __u32 offset)
{
	struct socket *socket = NULL;
	struct sock *sk;

	bpf_probe_read_kernel(&socket, sizeof(socket), (const void *)smc + offset);
	sk = BPF_CORE_READ(socket, sk);
	return sk && BPF_CORE_READ(sk, sk_socket) == socket ? sk : NULL;
}

/* Without types of smc.ko: the pointer follows struct sock, or struct inet_sock since 6.17. */
static inline struct sock *inside_of(const struct smc_sock *smc)
{
	struct sock *sk;

	if (bpf_core_field_exists(smc->clcsock))
		return BPF_CORE_READ(smc, clcsock, sk);
	sk = inside_at(smc, bpf_core_type_size(struct sock));
	return sk ? sk : inside_at(smc, bpf_core_type_size(struct inet_sock));
}
