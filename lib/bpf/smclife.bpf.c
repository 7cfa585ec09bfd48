// SPDX-License-Identifier: Dual MIT/GPL
/*
 * Follows SMC sockets of a network namespace from their beginning to their end, and tells of what
 * happens to them. Only functions and tracepoints by name are used, and types of smc.ko where it
 * has any: without them cursors, link groups and the peer's reasons are not known.
 */
#include "bpf/smc.bpf.h"

#include "bpf/smclife.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum {
	/* <net/smc.h>, states of SMC. */
	SMC_INIT = 2,
	SMC_CLOSED = 7,
	SMC_LISTEN = 10,
	TCP_ESTABLISHED = 1,
	IS_KERNEL_THREAD = 0x00200000, /* PF_KTHREAD */
	SEND_SHUTDOWN = 2,
	FLAG_DONE = 1,		       /* SOCK_DONE */
};

/* By the address of the kernel's socket. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, SMCLIFE_SOCKETS);
	__type(key, __u64);
	__type(value, struct smclife_socket);
} smclife_sockets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct smclife_state);
} smclife_state SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, SMCLIFE_EVENTS_SIZE);
} smclife_events SEC(".maps");

static struct smclife_state *state_of(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&smclife_state, &key);
}

static bool is_watched(struct sock *sk)
{
	const struct smclife_state *state = state_of();

	return state && netns_of(sk) == state->netns;
}

static struct smclife_socket *find(const void *sk)
{
	__u64 key = (__u64)sk;

	return bpf_map_lookup_elem(&smclife_sockets, &key);
}

static void forget(const void *sk)
{
	__u64 key = (__u64)sk;

	bpf_map_delete_elem(&smclife_sockets, &key);
}

/* The worker of the kernel that does it in a program's place is nobody. */
static void note_process(struct smclife_process *process)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (BPF_CORE_READ(task, flags) & IS_KERNEL_THREAD)
		return;
	process->pid = bpf_get_current_pid_tgid() >> 32;
	BPF_CORE_READ_STR_INTO(&process->comm, task, group_leader, comm);
}

/* ---- counts of the TCP socket inside ---- */

/* Payload that came; the kernel counts the peer's end as a byte. */
static __u64 tcp_received(struct sock *sk)
{
	bool has_end = BPF_CORE_READ(sk, __sk_common.skc_flags) & 1UL << FLAG_DONE;

	return BPF_CORE_READ((struct tcp_sock *)sk, bytes_received) - has_end;
}

/* Payload that was written; of what has not been sent yet the own end is a byte, too. */
static __u64 tcp_written(struct sock *sk)
{
	struct tcp_sock *tp = (void *)sk;
	__u32 unsent = BPF_CORE_READ(tp, write_seq) - BPF_CORE_READ(tp, snd_nxt);

	if (unsent && BPF_CORE_READ(sk, sk_shutdown) & SEND_SHUTDOWN)
		unsent--;
	return tcp_sent(tp) + unsent;
}

/* The messages of SMC's handshake have gone over it; what waits to be read is the program's. */
static void note_handshake(struct smclife_socket *socket, struct sock *sk)
{
	struct tcp_sock *tp = (void *)sk;
	__u32 waiting = BPF_CORE_READ(tp, rcv_nxt) - BPF_CORE_READ(tp, copied_seq);

	socket->in.counted = BPF_CORE_READ(tp, bytes_received) - waiting;
	socket->out.counted = tcp_written(sk);
}

/* ---- what is told ---- */

static struct smclife_event *begin(__u32 kind)
{
	struct smclife_event *event = bpf_ringbuf_reserve(&smclife_events, sizeof(*event), 0);
	struct smclife_state *state;

	if (!event) {
		state = state_of();
		if (state)
			__sync_fetch_and_add(&state->lost, 1);
		return NULL;
	}
	__builtin_memset(event, 0, sizeof(*event));
	event->at = bpf_ktime_get_ns();
	event->kind = kind;
	return event;
}

static void tell_socket(__u32 kind, const struct smclife_socket *socket)
{
	struct smclife_event *event = begin(kind);

	if (!event)
		return;
	event->socket = *socket;
	/* The reader comes by itself. */
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

static void read_group(struct smclife_socket *socket, const struct smc_sock *smc)
{
	__u8 id[4] = { 0 };

	if (!bpf_core_field_exists(smc->conn) || socket->mode != SMCLIFE_SMCR)
		return;
	BPF_CORE_READ_INTO(&id, smc, conn.lgr, id);
	__builtin_memcpy(&socket->lgr, id, sizeof(id));
}

static void read_diagnosis(struct smclife_socket *socket, const struct smc_sock *smc)
{
	if (!bpf_core_field_exists(smc->peer_diagnosis))
		return;
	socket->peer_diagnosis = BPF_CORE_READ(smc, peer_diagnosis);
	socket->has_diagnosis = 1;
}

static void read_cursors(struct smclife_socket *socket, const struct smc_sock *smc)
{
	if (!bpf_core_field_exists(smc->conn))
		return;
	socket->in.wrap = BPF_CORE_READ(smc, conn.local_tx_ctrl.cons.wrap);
	socket->in.count = BPF_CORE_READ(smc, conn.local_tx_ctrl.cons.count);
	socket->in.buffer = BPF_CORE_READ(smc, conn.rmb_desc, len);
	socket->out.wrap = BPF_CORE_READ(smc, conn.tx_curs_prep.wrap);
	socket->out.count = BPF_CORE_READ(smc, conn.tx_curs_prep.count);
	socket->out.buffer = BPF_CORE_READ(smc, conn.sndbuf_desc, len);
}

/* ---- sockets ---- */

SEC("kprobe/smc_hash_sk")
int BPF_KPROBE(smclife_create, struct sock *sk)
{
	struct smclife_socket socket = { .begun = bpf_ktime_get_ns() };
	__u64 key = (__u64)sk;

	if (!is_watched(sk))
		return 0;
	note_process(&socket.process);
	/* The kernel's worker makes those that are to be accepted. */
	if (!socket.process.pid)
		socket.side = SMCLIFE_SERVER;
	/* One without room is as one that is older than the program. */
	bpf_map_update_elem(&smclife_sockets, &key, &socket, BPF_ANY);
	return 0;
}

SEC("kprobe/smc_connect")
int BPF_KPROBE(smclife_connect, struct socket *sock)
{
	struct smclife_socket *socket = find(BPF_CORE_READ(sock, sk));

	if (socket && !socket->is_told) {
		socket->side = SMCLIFE_CLIENT;
		note_process(&socket->process);
	}
	return 0;
}

/* TCP is connected: the kernel's handshake of SMC begins, maybe in a worker. */
SEC("kprobe/__smc_connect")
int BPF_KPROBE(smclife_handshake, struct sock *sk)
{
	struct smclife_socket *socket = find(sk);

	if (socket)
		socket->begun = bpf_ktime_get_ns();
	return 0;
}

SEC("kprobe/smc_buf_create")
int BPF_KPROBE(smclife_buffers, struct sock *sk, bool is_smcd)
{
	struct smclife_socket *socket = find(sk);

	if (socket)
		socket->mode = is_smcd ? SMCLIFE_SMCD : SMCLIFE_SMCR;
	return 0;
}

SEC("raw_tp/smc_switch_to_fallback")
int smclife_fall_back(struct bpf_raw_tracepoint_args *ctx)
{
	struct smclife_socket *socket = find((void *)ctx->args[0]);

	if (!socket)
		return 0;
	socket->mode = SMCLIFE_TCP;
	socket->reason = (__u32)ctx->args[1];
	return 0;
}

/* One that fell back before connect() stays in its first state for good. */
static bool is_connection(__u8 state, const struct smclife_socket *socket, struct sock *inside)
{
	if (state == SMC_INIT)
		return socket->mode == SMCLIFE_TCP &&
		       BPF_CORE_READ(inside, __sk_common.skc_state) == TCP_ESTABLISHED;
	return state != SMC_CLOSED && state != SMC_LISTEN;
}

/* Each call about a socket ends here: the first one that finds a connection tells. */
SEC("kprobe/smc_release_cb")
int BPF_KPROBE(smclife_unlock, struct sock *sk)
{
	struct smclife_socket *socket = find(sk);
	struct sock *inside;

	if (!socket || socket->is_told || !socket->mode)
		return 0;
	inside = inside_of((void *)sk);
	if (!inside || !is_connection(BPF_CORE_READ(sk, __sk_common.skc_state), socket, inside))
		return 0;
	read_ends(&socket->ends, inside);
	socket->uid = BPF_CORE_READ(sk, sk_uid.val);
	socket->born = bpf_ktime_get_ns();
	socket->is_told = 1;
	if (socket->mode == SMCLIFE_TCP) {
		read_diagnosis(socket, (void *)sk);
		note_handshake(socket, inside);
	} else {
		read_group(socket, (void *)sk);
	}
	tell_socket(socket->mode == SMCLIFE_TCP ? SMCLIFE_FALLBACK : SMCLIFE_CONNECTED, socket);
	return 0;
}

SEC("raw_tp/smc_tx_sendmsg")
int smclife_send(struct bpf_raw_tracepoint_args *ctx)
{
	struct smclife_socket *socket = find((void *)ctx->args[0]);

	if (socket)
		socket->out.counted += ctx->args[1];
	return 0;
}

SEC("raw_tp/smc_rx_recvmsg")
int smclife_receive(struct bpf_raw_tracepoint_args *ctx)
{
	struct smclife_socket *socket = find((void *)ctx->args[0]);

	if (socket)
		socket->in.counted += ctx->args[1];
	return 0;
}

/* Of one that was there before. */
static void read_mode(struct smclife_socket *socket, const struct smc_sock *smc)
{
	if (!bpf_core_field_exists(smc->conn))
		return;
	if (BPF_CORE_READ(smc, use_fallback)) {
		socket->mode = SMCLIFE_TCP;
		socket->reason = BPF_CORE_READ(smc, fallback_rsn);
		read_diagnosis(socket, smc);
		return;
	}
	socket->mode = BPF_CORE_READ(smc, conn.lgr, is_smcd) ? SMCLIFE_SMCD : SMCLIFE_SMCR;
	read_group(socket, smc);
}

/* What the socket itself says last; of one that was there before, all that is known. */
static void read_last(struct smclife_socket *socket, struct sock *sk, struct sock *inside)
{
	if (!socket->ends.family && inside)
		read_ends(&socket->ends, inside);
	if (!socket->mode)
		read_mode(socket, (void *)sk);
	socket->uid = BPF_CORE_READ(sk, sk_uid.val);
	if (socket->mode == SMCLIFE_TCP && inside) {
		socket->in.counted = tcp_received(inside) - socket->in.counted;
		socket->out.counted = tcp_written(inside) - socket->out.counted;
	} else {
		read_cursors(socket, (void *)sk);
	}
	note_process(&socket->process);
}

/* The program, or the last one that has it, closes it. */
SEC("kprobe/smc_release")
int BPF_KPROBE(smclife_close, struct socket *sock)
{
	struct sock *sk = BPF_CORE_READ(sock, sk), *inside;
	struct smclife_socket socket = { .begun = 0 }, *known;
	__u8 state;

	if (!sk || !is_watched(sk))
		return 0;
	known = find(sk);
	if (known)
		socket = *known;
	forget(sk);
	inside = inside_of((void *)sk);
	state = BPF_CORE_READ(sk, __sk_common.skc_state);
	read_last(&socket, sk, inside);
	if (state == SMC_LISTEN)
		tell_socket(SMCLIFE_UNLISTEN, &socket);
	else if (socket.is_told || (state != SMC_INIT && socket.ends.peer_port &&
				    (socket.mode || !known)))
		tell_socket(SMCLIFE_CLOSED, &socket);
	return 0;
}

/* Nobody ever accepted it. */
SEC("kprobe/smc_destruct")
int BPF_KPROBE(smclife_destroy, struct sock *sk)
{
	struct smclife_socket *socket = find(sk);

	if (socket && socket->is_told)
		tell_socket(SMCLIFE_CLOSED, socket);
	if (socket)
		forget(sk);
	return 0;
}

/* ---- links ---- */

/* Where the kernel looks for another link, and takes the first one of another port. */
static bool is_other(const struct smc_link *other, const struct smc_link *link)
{
	return BPF_CORE_READ(other, state) == SMC_LNK_ACTIVE &&
	       BPF_CORE_READ(other, link_idx) != BPF_CORE_READ(link, link_idx) &&
	       (BPF_CORE_READ(other, smcibdev) != BPF_CORE_READ(link, smcibdev) ||
		BPF_CORE_READ(other, ibport) != BPF_CORE_READ(link, ibport));
}

static __u8 other_than(const struct smc_link *link)
{
	const struct smc_link_group *lgr = BPF_CORE_READ(link, lgr);

	/* The distance of links is only known where the number of one is written out. */
	if (is_other(__builtin_preserve_access_index(&lgr->lnk[0]), link))
		return BPF_CORE_READ(lgr, lnk[0].link_id);
	if (is_other(__builtin_preserve_access_index(&lgr->lnk[1]), link))
		return BPF_CORE_READ(lgr, lnk[1].link_id);
	if (is_other(__builtin_preserve_access_index(&lgr->lnk[2]), link))
		return BPF_CORE_READ(lgr, lnk[2].link_id);
	return 0;
}

static void tell_link(__u32 kind, const struct smc_link *link)
{
	const struct smclife_state *state = state_of();
	struct smclife_event *event;

	/* Nothing can be said of one without types. */
	if (!bpf_core_field_exists(link->lgr) || !state ||
	    BPF_CORE_READ(link, lgr, net, ns.inum) != state->netns)
		return;
	event = begin(kind);
	if (!event)
		return;
	BPF_CORE_READ_INTO(&event->link.lgr, link, lgr, id);
	event->link.id = BPF_CORE_READ(link, link_id);
	event->link.port = BPF_CORE_READ(link, ibport);
	BPF_CORE_READ_STR_INTO(&event->link.device, link, ibname);
	if (kind == SMCLIFE_LINK_DOWN) {
		event->link.to = other_than(link);
		if (bpf_core_field_exists(link->conn_cnt)) {
			event->link.connections = BPF_CORE_READ(link, conn_cnt.counter);
			event->link.has_connections = 1;
		}
	}
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

/* Before its connections go to another. */
SEC("raw_tp/smcr_link_down")
int smclife_link_down(struct bpf_raw_tracepoint_args *ctx)
{
	tell_link(SMCLIFE_LINK_DOWN, (void *)ctx->args[0]);
	return 0;
}

SEC("kprobe/smc_llc_link_active")
int BPF_KPROBE(smclife_link_up, struct smc_link *link)
{
	tell_link(SMCLIFE_LINK_UP, link);
	return 0;
}
