// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Note how each TCP connection of a network namespace begins, and report its end, by the tracepoint
 * sock:inet_sock_set_state and the kernel's own socket.
 */
#include "bpf/kernel.bpf.h"
#include "bpf/tcplife.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum {
	PROTO_TCP = 6,
	/* States of <net/tcp_states.h>. */
	ESTABLISHED = 1,
	SYN_SENT = 2,
	SYN_RECV = 3,
	FIN_WAIT1 = 4,
	CLOSED = 7,
	LAST_ACK = 9,
};

struct tcp_ulp_ops {
	char name[16];
} KERNEL;

struct inet_connection_sock {
	const struct tcp_ulp_ops *icsk_ulp_ops;
} KERNEL;

/* State of an open connection; freed with the socket. */
struct life {
	__u64 born;
	__u8 side;
	struct tcplife_process process;
};

MAP_BESIDE(lives, SK, struct life);

MAP(tcplife_state, ARRAY, 0, 1, __u32, struct tcplife_state);

MAP_RING(tcplife_events, TCPLIFE_EVENTS_SIZE);

static struct kernfs_node *parent_of(struct kernfs_node *kn)
{
	return bpf_core_field_exists(kn->__parent) ? BPF_CORE_READ(kn, __parent) :
						     BPF_CORE_READ(kn, parent);
}

/* Read "ssh.service" of /system.slice/ssh.service; names of deeper groups are not systemd's. */
static void read_unit(char unit[64], struct task_struct *task)
{
	static const char wanted[] = "system.slice";
	struct kernfs_node *kn = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn);
	struct kernfs_node *parent = parent_of(kn), *root = parent_of(parent);
	char slice[sizeof(wanted)] = "";

	if (!root || parent_of(root))
		return;
	bpf_probe_read_kernel_str(slice, sizeof(slice), BPF_CORE_READ(parent, name));
	for (unsigned int i = 0; i < sizeof(slice); i++)
		if (slice[i] != wanted[i])
			return;
	bpf_probe_read_kernel_str(unit, 64, BPF_CORE_READ(kn, name));
}

static void note_process(struct life *life)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (life->process.pid)
		return;
	life->process.pid = bpf_get_current_pid_tgid() >> 32;
	BPF_CORE_READ_STR_INTO(&life->process.comm, task, group_leader, comm);
	read_unit(life->process.unit, task);
}

static void read_numbers(struct tcplife_end *end, struct sock *sk)
{
	struct inet_connection_sock *icsk = (void *)sk;
	struct tcp_sock *tp = (void *)sk;
	const struct tcp_ulp_ops *ulp = BPF_CORE_READ(icsk, icsk_ulp_ops);

	end->sent = tcp_sent(tp);
	end->received = BPF_CORE_READ(tp, bytes_received);
	end->segs_sent = BPF_CORE_READ(tp, data_segs_out);
	end->segs_received = BPF_CORE_READ(tp, data_segs_in);
	end->mss = BPF_CORE_READ(tp, mss_cache);
	end->is_fast_open = BPF_CORE_READ_BITFIELD_PROBED(tp, syn_data_acked);
	if (bpf_core_field_exists(tp->syn_smc))
		end->is_smc = BPF_CORE_READ_BITFIELD_PROBED(tp, syn_smc);
	if (bpf_core_field_exists(tp->md5sig_info))
		end->is_signed = BPF_CORE_READ(tp, md5sig_info) != NULL;
	if (ulp)
		BPF_CORE_READ_STR_INTO(&end->ulp, ulp, name);
}

static void tell(struct sock *sk, const struct life *life, struct tcplife_state *state)
{
	struct tcplife_end *end = bpf_ringbuf_reserve(&tcplife_events, sizeof(*end), 0);

	if (!end) {
		__sync_fetch_and_add(&state->lost, 1);
		return;
	}
	__builtin_memset(end, 0, sizeof(*end));
	end->cookie = bpf_get_socket_cookie(sk);
	end->died = bpf_ktime_get_ns();
	if (life) {
		end->born = life->born;
		end->side = life->side;
		end->process = life->process;
	}
	read_ends(&end->ends, sk);
	read_numbers(end, sk);
	/* The reader polls by itself. */
	bpf_ringbuf_submit(end, BPF_RB_NO_WAKEUP);
}

/*
 * Only these states are set by the process's own call: connect(), close() and shutdown(); the
 * others may be set in any context.
 */
static void note(struct life *life, int state)
{
	switch (state) {
	case SYN_SENT:
		life->side = TCPLIFE_CLIENT;
		note_process(life);
		break;
	case SYN_RECV:
		if (!life->side)
			life->side = TCPLIFE_SERVER;
		break;
	case ESTABLISHED: life->born = bpf_ktime_get_ns(); break;
	case FIN_WAIT1:
	case LAST_ACK: note_process(life); break;
	default: break;
	}
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(tcplife_state_change, struct sock *sk, int from, int to)
{
	struct tcplife_state *state;
	struct life *life;
	__u32 key = 0;

	state = bpf_map_lookup_elem(&tcplife_state, &key);
	if (!state || BPF_CORE_READ(sk, sk_protocol) != PROTO_TCP || netns_of(sk) != state->netns)
		return 0;
	if (to == CLOSED) {
		tell(sk, bpf_sk_storage_get(&lives, sk, NULL, 0), state);
		return 0;
	}
	/*
	 * Connections older than the program have no start time, but the closing process is known.
	 */
	life = bpf_sk_storage_get(&lives, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (life)
		note(life, to);
	return 0;
}
