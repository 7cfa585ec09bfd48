// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Follow the SMC sockets of a network namespace from creation to close, and report events. Uses
 * functions and tracepoints by name, and types of smc.ko if it has any; without types, cursors,
 * link groups and the peer's reasons are unknown.
 */
#include "bpf/smc.bpf.h"

#include "bpf/smclife.h"

/* Sockets beyond this number are treated like sockets older than the program. */
#define KEPT struct smclife_socket
#define KEPT_MAX SMCLIFE_SOCKETS
#include "bpf/places.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum {
	/* States of SMC in <net/smc.h>. */
	SMC_INIT = 2,
	SMC_CLOSED = 7,
	SMC_LISTEN = 10,
	TCP_ESTABLISHED = 1,
	SEND_SHUTDOWN = 2,
	FLAG_DONE = 1,	     /* SOCK_DONE */
	USER_DATA_FLAGS = 7, /* SK_USER_DATA_PTRMASK */
};

/* Start time of the handshake the worker is processing (accepted sockets only), or 0. */
MAP_BESIDE(smclife_accepts, TASK, __u64);

MAP_OF_ONE(smclife_state, ARRAY, 0, struct smclife_state, state_of)
MAP_RING(smclife_events, SMCLIFE_EVENTS_SIZE);

static bool is_watched(struct sock *sk)
{
	struct smclife_state *state = state_of();
	struct net *net = BPF_CORE_READ(sk, __sk_common.skc_net.net);

	if (!state)
		return false;
	/* The reader is in the namespace, so the address found once stays valid. */
	if (!state->net && BPF_CORE_READ(net, ns.inum) == state->netns)
		state->net = (__u64)net;
	return state->net == (__u64)net;
}

/* Kernel workers have no owning process. */
static void note_process(struct smclife_process *process)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (task->flags & IS_KERNEL_THREAD)
		return;
	process->pid = bpf_get_current_pid_tgid() >> 32;
	bpf_probe_read_kernel(process->comm, sizeof(process->comm), task->group_leader->comm);
}

/* ---- counts of the TCP socket inside ---- */

/* Payload received; the kernel counts the peer's FIN as a byte. */
static __u64 tcp_received(struct sock *sk)
{
	bool has_end = BPF_CORE_READ(sk, __sk_common.skc_flags) & 1UL << FLAG_DONE;

	return BPF_CORE_READ((struct tcp_sock *)sk, bytes_received) - has_end;
}

/* Payload written; an unsent FIN counts as a byte, too. */
static __u64 tcp_written(struct sock *sk)
{
	struct tcp_sock *tp = (void *)sk;
	__u32 unsent = BPF_CORE_READ(tp, write_seq) - BPF_CORE_READ(tp, snd_nxt);

	if (unsent && BPF_CORE_READ(sk, sk_shutdown) & SEND_SHUTDOWN)
		unsent--;
	return tcp_sent(tp) + unsent;
}

/* SMC's handshake messages have passed; bytes still unread belong to the program. */
static void note_handshake(struct smclife_socket *socket, struct sock *sk)
{
	struct tcp_sock *tp = (void *)sk;
	__u32 waiting = BPF_CORE_READ(tp, rcv_nxt) - BPF_CORE_READ(tp, copied_seq);

	socket->in.counted = BPF_CORE_READ(tp, bytes_received) - waiting;
	socket->out.counted = tcp_written(sk);
}

/* ---- events ---- */

static struct smclife_event *begin(__u32 kind, __u64 at)
{
	struct smclife_event *event = bpf_ringbuf_reserve(&smclife_events, sizeof(*event), 0);
	struct smclife_state *state;

	if (!event) {
		state = state_of();
		if (state)
			__sync_fetch_and_add(&state->lost, 1);
		return NULL;
	}
	event->at = at;
	event->kind = kind;
	event->unused = 0;
	return event;
}

static void tell_socket(__u32 kind, __u64 at, const struct smclife_socket *socket)
{
	struct smclife_event *event = begin(kind, at);

	if (!event)
		return;
	event->socket = *socket;
	/* The reader polls by itself. */
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

static void copy_cursor(struct smclife_moved *moved, const union smc_host_cursor *cursor)
{
	moved->wrap = cursor->wrap;
	moved->count = cursor->count;
}

static void read_cursors(struct smclife_socket *socket, const struct smc_sock *smc)
{
	union smc_host_cursor cursor;

	if (!bpf_core_field_exists(smc->conn))
		return;
	BPF_CORE_READ_INTO(&cursor, smc, conn.local_tx_ctrl.cons);
	copy_cursor(&socket->in, &cursor);
	socket->in.buffer = BPF_CORE_READ(smc, conn.rmb_desc, len);
	BPF_CORE_READ_INTO(&cursor, smc, conn.tx_curs_prep);
	copy_cursor(&socket->out, &cursor);
	socket->out.buffer = BPF_CORE_READ(smc, conn.sndbuf_desc, len);
}

/* ---- sockets ---- */

static void make_client(struct sock *sk, bool is_shaking)
{
	struct smclife_socket fresh = { .begun = bpf_ktime_get_ns(), .side = SMCLIFE_CLIENT };

	if (!is_watched(sk))
		return;
	fresh.is_shaking = is_shaking;
	note_process(&fresh.process);
	note(sk, &fresh);
}

/* TCP is connected: the kernel begins the SMC handshake, maybe in a worker. */
static void on_handshake(struct sock *sk)
{
	struct smclife_socket *socket = find(sk);

	if (!socket) {
		make_client(sk, true);
		return;
	}
	socket->begun = bpf_ktime_get_ns();
	socket->is_shaking = 1;
}
AT(__smc_connect, on_handshake, ARGUMENTS(struct sock *sk), sk)

/* Start time of the handshake of an accepted socket in this worker. */
static __u64 *accept_of(__u64 flags)
{
	return bpf_task_storage_get(&smclife_accepts, bpf_get_current_task_btf(), NULL, flags);
}

/* A worker accepted a TCP connection and begins the handshake. */
static void on_accept(void)
{
	__u64 *begun = accept_of(BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (begun)
		*begun = bpf_ktime_get_ns();
}
AT(smc_listen_work, on_accept, ARGUMENTS(void *work))

/* A socket not seen before was accepted, or is not connected yet. */
static void note_mode(struct sock *sk, __u8 mode, __u32 reason)
{
	struct smclife_socket *socket = find(sk), fresh = { .mode = mode, .reason = reason };
	__u64 *begun;

	if (socket) {
		socket->mode = mode;
		socket->reason = reason;
		return;
	}
	begun = accept_of(0);
	if (begun && *begun) {
		fresh.begun = *begun;
		fresh.side = SMCLIFE_SERVER;
		*begun = 0;
	} else if (mode != SMCLIFE_TCP) {
		return;
	}
	if (is_watched(sk))
		note(sk, &fresh);
}

static void on_buffers(struct sock *sk, bool is_smcd)
{
	note_mode(sk, is_smcd ? SMCLIFE_SMCD : SMCLIFE_SMCR, 0);
}
AT(smc_buf_create, on_buffers, ARGUMENTS(struct sock *sk, bool is_smcd), sk, is_smcd)

SEC("raw_tp/smc_switch_to_fallback")
int smclife_fall_back(struct bpf_raw_tracepoint_args *ctx)
{
	note_mode((void *)ctx->args[0], SMCLIFE_TCP, (__u32)ctx->args[1]);
	return 0;
}

static void tell_born(struct smclife_socket *socket, struct sock *sk)
{
	struct sock *inside = inside_of((void *)sk);

	if (!inside)
		return;
	read_ends(&socket->ends, inside);
	/* A socket still to be accepted has no process yet. */
	if (socket->side != SMCLIFE_SERVER)
		socket->uid = BPF_CORE_READ(sk, sk_uid.val);
	socket->born = bpf_ktime_get_ns();
	socket->is_reported = 1;
	if (socket->mode == SMCLIFE_TCP) {
		read_diagnosis(socket, (void *)sk);
		note_handshake(socket, inside);
	} else {
		read_group(socket, (void *)sk);
	}
	tell_socket(socket->mode == SMCLIFE_TCP ? SMCLIFE_FALLBACK : SMCLIFE_CONNECTED,
		    socket->born, socket);
}

/* Entry of connect() in the calling program, and its success. */
static void on_settings(struct sock *sk)
{
	struct smclife_socket *socket = find(sk);

	if (!socket) {
		make_client(sk, false);
	} else if (!socket->is_reported && socket->is_shaking) {
		if (socket->mode)
			tell_born(socket, sk);
	} else if (!socket->is_reported) {
		/* A repeated connect(), or one after a fallback. */
		socket->side = SMCLIFE_CLIENT;
		note_process(&socket->process);
	}
}
AT(smc_copy_sock_settings_to_clc, on_settings, ARGUMENTS(struct sock *sk), sk)

/* The handshake of an accepted connection is done; now a program can accept it. */
static void on_accepted(struct sock *sk)
{
	struct smclife_socket *socket = find(sk);

	if (socket && socket->mode && !socket->is_reported &&
	    BPF_CORE_READ(sk, __sk_common.skc_state) != SMC_CLOSED)
		tell_born(socket, sk);
}
AT(smc_listen_out, on_accepted, ARGUMENTS(struct sock *sk), sk)

/* A socket that fell back before connect(): SMC is no longer involved. */
static void on_tcp_state(struct sock *inside)
{
	struct sock *sk = (void *)((__u64)BPF_CORE_READ(inside, sk_user_data) & ~USER_DATA_FLAGS);
	struct smclife_socket *socket = find(sk);

	if (socket && !socket->is_reported && socket->mode == SMCLIFE_TCP &&
	    BPF_CORE_READ(inside, __sk_common.skc_state) == TCP_ESTABLISHED)
		tell_born(socket, sk);
}
AT(smc_fback_state_change, on_tcp_state, ARGUMENTS(struct sock *inside), inside)

/* Called on data transfer; reports the start if inlining has hidden it before. */
static struct smclife_socket *moving(struct sock *sk)
{
	struct smclife_socket *socket = find(sk);

	if (socket && !socket->is_reported && socket->mode)
		tell_born(socket, sk);
	return socket;
}

SEC("raw_tp/smc_tx_sendmsg")
int smclife_send(struct bpf_raw_tracepoint_args *ctx)
{
	struct smclife_socket *socket = moving((void *)ctx->args[0]);

	if (socket)
		socket->out.counted += ctx->args[1];
	return 0;
}

SEC("raw_tp/smc_rx_recvmsg")
int smclife_receive(struct bpf_raw_tracepoint_args *ctx)
{
	struct smclife_socket *socket = moving((void *)ctx->args[0]);

	if (socket)
		socket->in.counted += ctx->args[1];
	return 0;
}

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

/* Read the socket's final state; for a socket older than the program, all that is known. */
static void read_last(struct smclife_socket *socket, struct sock *sk)
{
	struct sock *inside = NULL;

	if (!socket->is_reported || socket->mode == SMCLIFE_TCP)
		inside = inside_of((void *)sk);
	if (!socket->is_reported && inside)
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

/* Close of a socket whose start was not reported. */
static void close_other(struct smclife_socket *socket, struct sock *sk, bool is_known)
{
	__u8 state = BPF_CORE_READ(sk, __sk_common.skc_state);

	read_last(socket, sk);
	if (state == SMC_LISTEN)
		tell_socket(SMCLIFE_UNLISTEN, bpf_ktime_get_ns(), socket);
	else if (state != SMC_INIT && socket->ends.peer_port && (socket->mode || !is_known))
		tell_socket(SMCLIFE_CLOSED, bpf_ktime_get_ns(), socket);
}

/* The last holder closes the socket. */
static void on_close(struct socket *sock)
{
	struct sock *sk = BPF_CORE_READ(sock, sk);
	struct smclife_socket *socket = find(sk), older = { .begun = 0 };

	if (!socket) {
		if (sk && is_watched(sk))
			close_other(&older, sk, false);
		return;
	}
	if (socket->is_reported) {
		read_last(socket, sk);
		tell_socket(SMCLIFE_CLOSED, bpf_ktime_get_ns(), socket);
	} else {
		close_other(socket, sk, true);
	}
	forget(sk);
}
AT(smc_release, on_close, ARGUMENTS(struct socket *sock), sock)

/* Never accepted. */
static void on_destroy(struct sock *sk)
{
	struct smclife_socket *socket = find(sk);

	if (!socket)
		return;
	if (socket->is_reported)
		tell_socket(SMCLIFE_CLOSED, bpf_ktime_get_ns(), socket);
	forget(sk);
}
AT(smc_destruct, on_destroy, ARGUMENTS(struct sock *sk), sk)

/* ---- links ---- */

/* The kernel picks the first other link on another port. */
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

	/* The distance between links is only known for literal indexes. */
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

	/* Without types nothing is known about the link. */
	if (!bpf_core_field_exists(link->lgr) || !state ||
	    BPF_CORE_READ(link, lgr, net, ns.inum) != state->netns)
		return;
	event = begin(kind, bpf_ktime_get_ns());
	if (!event)
		return;
	__builtin_memset(&event->link, 0, sizeof(event->link));
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

/* Runs before the link's connections move to another. */
SEC("raw_tp/smcr_link_down")
int smclife_link_down(struct bpf_raw_tracepoint_args *ctx)
{
	tell_link(SMCLIFE_LINK_DOWN, (void *)ctx->args[0]);
	return 0;
}

static void on_link_up(struct smc_link *link)
{
	tell_link(SMCLIFE_LINK_UP, link);
}
AT(smc_llc_link_active, on_link_up, ARGUMENTS(struct smc_link *link), link)
