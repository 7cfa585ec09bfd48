/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Types and helpers for the kernel's sockets and tasks in eBPF programs. */
#pragma once

#include <asm/ptrace.h>

#include "bpf/ends.h"
#include "bpf/maps.bpf.h"

enum {
	AF_INET = 2,
	AF_INET6 = 10,
	IS_KERNEL_THREAD = 0x00200000, /* PF_KTHREAD */
};

/*
 * Call a function of this program at the entry of the kernel's FUNCTION: by fentry (types), at a
 * tenth of the cost, or by kprobe (registers). bpf_programs_start() picks one of the two. With
 * types, arguments can be read directly, without a copy.
 */
#define ARGUMENTS(...) __VA_ARGS__
#define AT(function, on_it, arguments, ...)                                                        \
	AT_EITHER(function, on_it, on_it, ARGUMENTS(arguments), __VA_ARGS__)
#define AT_EITHER(function, on_typed, on_plain, arguments, ...)                                    \
	SEC("fentry/" #function)                                                                   \
	int BPF_PROG(typed_##function, arguments)                                                  \
	{                                                                                          \
		on_typed(__VA_ARGS__);                                                             \
		return 0;                                                                          \
	}                                                                                          \
	SEC("kprobe/" #function)                                                                   \
	int BPF_KPROBE(plain_##function, arguments)                                                \
	{                                                                                          \
		on_plain(__VA_ARGS__);                                                             \
		return 0;                                                                          \
	}

/* Kernel structs, reduced to the members in use; libbpf relocates the offsets at load time. */
#define KERNEL __attribute__((preserve_access_index))

struct ns_common {
	unsigned int inum;
} KERNEL;

struct netns_ipv4 {
	__u8 sysctl_tcp_syn_retries;
} KERNEL;

struct net {
	struct ns_common ns;
	struct netns_ipv4 ipv4;
} KERNEL;

typedef struct {
	struct net *net;
} possible_net_t;

struct in6_addr {
	union {
		__u8 u6_addr8[16];
	} in6_u;
};

struct sock_common {
	unsigned short skc_family;
	volatile unsigned char skc_state;
	__u32 skc_daddr, skc_rcv_saddr;
	__u16 skc_dport, skc_num;
	possible_net_t skc_net;
	unsigned long skc_flags;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
} KERNEL;

typedef struct {
	__u32 val;
} kuid_t;

struct socket;

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	void *sk_user_data;
	kuid_t sk_uid;
	int sk_rcvlowat, sk_err;
	__u8 sk_shutdown;
	__u16 sk_protocol;
} KERNEL;

struct socket {
	struct sock *sk;
} KERNEL;

struct inet_sock {
	__u16 inet_sport;
} KERNEL;

struct tcp_md5sig_info;

struct tcp_sock {
	__u64 bytes_sent, bytes_retrans, bytes_received;
	__u32 data_segs_out, data_segs_in, mss_cache, rcv_nxt, copied_seq, snd_nxt, write_seq;
	__u32 total_retrans;
	struct tcp_md5sig_info *md5sig_info;
	__u8 syn_smc : 1, syn_data_acked : 1;
} KERNEL;

/* @parent was renamed after 6.14. */
struct kernfs_node {
	struct kernfs_node *parent, *__parent;
	const char *name;
} KERNEL;

struct cgroup {
	struct kernfs_node *kn;
} KERNEL;

struct css_set {
	struct cgroup *dfl_cgrp;
} KERNEL;

struct task_struct {
	struct task_struct *group_leader;
	struct css_set *cgroups;
	struct mm_struct *mm;
	const struct cred *cred;
	unsigned int flags;
	int tgid;
	char comm[16];
} KERNEL;

/* Inode of a socket's network namespace. */
static inline __u32 netns_of(struct sock *sk)
{
	return BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
}

/* Both ends of a TCP connection; one read of kernel memory costs as much as 90 instructions. */
static inline void read_ends(struct bpf_ends *ends, struct sock *sk)
{
	struct sock_common *common = &sk->__sk_common;
	__u8 head[32];

#define HEAD(type, field) (*(type *)(head + bpf_core_field_offset(common->field)))
	bpf_probe_read_kernel(head, sizeof(head), common);
	ends->family = HEAD(__u16, skc_family);
	ends->local_port = HEAD(__u16, skc_num);
	/* The kernel has already released the local port of a closing socket. */
	if (!ends->local_port)
		ends->local_port = bpf_ntohs(BPF_CORE_READ((struct inet_sock *)sk, inet_sport));
	ends->peer_port = bpf_ntohs(HEAD(__u16, skc_dport));
	if (ends->family == AF_INET6 && bpf_core_field_exists(common->skc_v6_daddr)) {
		BPF_CORE_READ_INTO(&ends->local, common, skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO(&ends->peer, common, skc_v6_daddr);
	} else {
		*(__u32 *)ends->local = HEAD(__u32, skc_rcv_saddr);
		*(__u32 *)ends->peer = HEAD(__u32, skc_daddr);
	}
#undef HEAD
}

static inline __u64 tcp_sent(struct tcp_sock *tp)
{
	return BPF_CORE_READ(tp, bytes_sent) - BPF_CORE_READ(tp, bytes_retrans);
}
