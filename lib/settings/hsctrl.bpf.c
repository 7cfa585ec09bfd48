// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Decide for each connection whether SMC is offered (SYN) or accepted (SYN-ACK), in network
 * namespaces that name this controller in net.smc.hs_ctrl. Linux 6.19, <net/smc.h>.
 */
#include "bpf/maps.bpf.h"
#include "settings/hsmaps.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum {
	AF_INET = 2,
	AF_INET6 = 10,
	DENY = 0, /* enum policy_action, enum policy_side */
	ALLOW = 1,
	TO = 1,
	FROM = 2,
};

#define KERNEL __attribute__((preserve_access_index))

struct in6_addr {
	union {
		__u8 u6_addr8[16];
		__be32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	__be32 skc_daddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	struct in6_addr skc_v6_daddr;
} KERNEL;

struct request_sock_ops {
	int family;
} KERNEL;

struct request_sock {
	struct sock_common __req_common;
	const struct request_sock_ops *rsk_ops;
} KERNEL;

struct inet_request_sock {
	struct request_sock req;
} KERNEL;

/* A tcp_sock begins with its sock_common, as does every socket. */
struct sock {
	struct sock_common __sk_common;
} KERNEL;

struct inet_sock {
	struct sock sk;
} KERNEL;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
} KERNEL;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
} KERNEL;

struct smc_hs_ctrl {
	char name[HS_NAME_SIZE];
	int flags;
	int (*syn_option)(struct tcp_sock *tp);
	int (*synack_option)(const struct tcp_sock *tp, struct inet_request_sock *ireq);
};
_Static_assert(__builtin_offsetof(struct smc_hs_ctrl, flags) == HS_FLAGS_AT, "the loader knows");

MAP(rules, ARRAY, 0, 1, __u32, struct hs_rules);

MAP(ports, ARRAY, 0, 1, __u32, struct hs_ports);

MAP(nets, LPM_TRIE, BPF_F_NO_PREALLOC, 1 << 20, struct hs_net, __u32);

MAP(hits, ARRAY, 0, HS_HITS_MAX, __u32, __u64);

static void count(__u32 place)
{
	__u64 *number = bpf_map_lookup_elem(&hits, &place);

	if (number)
		__sync_fetch_and_add(number, 1);
}

static bool is_denied_port(__u16 port)
{
	__u32 first = 0;
	struct hs_ports *denied = bpf_map_lookup_elem(&ports, &first);

	return denied && denied->words[port / 64] >> port % 64 & 1;
}

/* Evaluate the policy as policy_allows() does. @peer: without the rule. Return: 0 for no SMC */
static int decide(struct hs_net *peer, __u32 side, __u16 port)
{
	__u32 first = 0, others = HS_RULES_MAX;
	struct hs_rules *all = bpf_map_lookup_elem(&rules, &first);

	if (is_denied_port(port)) {
		count(HS_PORTS);
		return 0;
	}
	for (__u32 i = 0; all && i < HS_RULES_MAX && i < all->count; i++) {
		struct hs_rule *rule = &all->rules[i];

		if ((rule->side && rule->side != side) || port < rule->low || port > rule->high)
			continue;
		peer->rule = i;
		if (bpf_map_lookup_elem(&nets, peer)) {
			count(i);
			return rule->action == ALLOW;
		}
		if (rule->action == ALLOW && others == HS_RULES_MAX)
			others = i;
	}
	if (others == HS_RULES_MAX)
		return 1;
	count(HS_OTHERS + others);
	return 0;
}

static void set_ipv4(struct hs_net *peer, __be32 addr)
{
	peer->family = AF_INET;
	peer->bits = HS_NET_HEAD + 32;
	__builtin_memcpy(peer->addr, &addr, sizeof(addr));
}

/* IPv6 sockets use IPv4-mapped addresses for IPv4. */
static void set_ipv6(struct hs_net *peer, struct in6_addr *addr)
{
	__be32 words[4];

	bpf_core_read(words, sizeof(words), addr);
	if (!words[0] && !words[1] && words[2] == bpf_htonl(0xffff)) {
		set_ipv4(peer, words[3]);
		return;
	}
	peer->family = AF_INET6;
	peer->bits = HS_NET_HEAD + 128;
	__builtin_memcpy(peer->addr, words, sizeof(words));
}

SEC("struct_ops/syn_option")
int BPF_PROG(syn_option, struct tcp_sock *tp)
{
	struct sock_common *sk = &tp->inet_conn.icsk_inet.sk.__sk_common;
	struct hs_net peer = { 0 };

	if (sk->skc_family == AF_INET)
		set_ipv4(&peer, sk->skc_daddr);
	else
		set_ipv6(&peer, &sk->skc_v6_daddr);
	return decide(&peer, TO, bpf_ntohs(sk->skc_dport));
}

/*
 * skc_family of a request is that of the listener, which may be IPv6; the kind of request shows the
 * family of the connection.
 */
SEC("struct_ops/synack_option")
int BPF_PROG(synack_option, const struct tcp_sock *tp, struct inet_request_sock *ireq)
{
	struct sock_common *sk = &ireq->req.__req_common;
	struct hs_net peer = { 0 };

	if (ireq->req.rsk_ops->family == AF_INET)
		set_ipv4(&peer, sk->skc_daddr);
	else
		set_ipv6(&peer, &sk->skc_v6_daddr);
	return decide(&peer, FROM, sk->skc_num);
}

SEC(".struct_ops")
struct smc_hs_ctrl policy = {
	.name = HS_NAME,
	.syn_option = (void *)syn_option,
	.synack_option = (void *)synack_option,
};
