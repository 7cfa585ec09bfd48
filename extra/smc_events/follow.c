// SPDX-License-Identifier: MIT
/* The eBPF program that follows SMC sockets, and the owners of listening addresses. */
#include "smc_events/event.h"

#include "base/array.h"
#include "base/clock.h"
#include "bpf/address.h"
#include "bpf/bpfmap.h"
#include "sockets/fetch.h"

/* Minimum interval between two scans for listeners, if something is not found. */
#define PAUSE_NS 500000000

struct event_moved follow_moved(const struct smclife_moved *moved, bool is_whole)
{
	uint64_t lap = 65536ULL * moved->buffer;
	uint64_t bytes = (uint64_t)moved->wrap * moved->buffer + moved->count;

	if (lap && is_whole && moved->counted > bytes)
		bytes += (moved->counted - bytes + lap / 2) / lap * lap;
	return (struct event_moved){ lap ? bytes : moved->counted, !is_whole };
}

static void copy_mode(struct event *event, const struct smclife_socket *socket)
{
	static const uint8_t modes[] = { [SMCLIFE_NONE] = UINT8_MAX,
					 [SMCLIFE_SMCR] = SMC_DIAG_MODE_SMCR,
					 [SMCLIFE_SMCD] = SMC_DIAG_MODE_SMCD,
					 [SMCLIFE_TCP] = SMC_DIAG_MODE_FALLBACK_TCP };

	event->sock.mode = socket->mode < sizeof(modes) ? modes[socket->mode] : UINT8_MAX;
	if (socket->mode != SMCLIFE_TCP)
		return;
	event->sock.has = SMC_SOCK_HAS_FALLBACK;
	event->sock.fallback.reason = socket->reason;
	event->sock.fallback.peer_diagnosis = socket->peer_diagnosis;
}

static void copy_socket(struct event *event, const struct smclife_event *report)
{
	const struct smclife_socket *socket = &report->socket;
	bool is_whole = socket->begun;

	event->sock.state = SMC_ABI_ACTIVE;
	event->sock.family = AF_SMC;
	event->sock.local = bpf_ends_local(&socket->ends);
	event->sock.peer = bpf_ends_peer(&socket->ends);
	event->sock.uid = socket->uid;
	copy_mode(event, socket);
	if (socket->side <= SMCLIFE_SERVER)
		event->side = (enum smclife_side)socket->side;
	event->process = socket->process;
	memcpy(&event->lgr, &socket->lgr, sizeof(event->lgr));
	if (is_whole && socket->born && event->kind == EVENT_CONNECTED)
		event->handshake = (int64_t)(socket->born - socket->begun);
	if (event->kind != EVENT_CLOSED)
		return;
	if (is_whole && socket->born)
		event->lived = (int64_t)(report->at - socket->born);
	/* TCP has its own counters. */
	is_whole |= socket->mode == SMCLIFE_TCP;
	event->in = follow_moved(&socket->in, is_whole);
	event->out = follow_moved(&socket->out, is_whole);
	event->has_bytes = true;
}

int follow_event(struct event *event, const struct smclife_event *report, int64_t clock)
{
	*event = (struct event){ .handshake = -1, .lived = -1 };
	if (report->kind > SMCLIFE_LINK_DOWN)
		return -ENOENT;
	event->kind = (enum event_kind)report->kind;
	event->at = (int64_t)report->at + clock;
	if (event_is_link(event))
		event->link = report->link;
	else
		copy_socket(event, report);
	return 0;
}

static int on_record(void *arg, void *record, size_t len)
{
	struct follow *follow = arg;
	struct event event;

	if (len < sizeof(struct smclife_event))
		return -EBADMSG;
	if (follow_event(&event, record, follow->clock))
		return 0;
	return follow->fn(follow->arg, &event);
}

int follow_open(struct follow *follow, struct smc_err *err)
{
	static const _Alignas(8) unsigned char elf[] = {
#include "bpf/smclife.bytes.h"
	};
	struct smclife_state state = { 0 };
	const struct bpf_watch watch = { .elf = elf,
					 .len = sizeof(elf),
					 .state = SMCLIFE_STATE,
					 .value = &state,
					 .module = "smc",
					 .ring = SMCLIFE_EVENTS,
					 .fn = on_record,
					 .arg = follow };

	follow->state = bpf_programs_start(&follow->programs, &watch, err);
	return follow->state < 0 ? follow->state : 0;
}

static int tell_lost(struct follow *follow, struct smc_err *err)
{
	struct event event = { .kind = EVENT_LOST, .at = clock_ns(CLOCK_REALTIME) };
	struct smclife_state state;
	const uint32_t first = 0;
	int ret = bpfmap_lookup(follow->state, &first, &state);

	if (ret)
		return smc_err_set(err, -ret, "cannot read events from eBPF");
	if (state.lost == follow->lost)
		return 0;
	event.lost = state.lost - follow->lost;
	follow->lost = state.lost;
	return follow->fn(follow->arg, &event);
}

int follow_read(struct follow *follow, struct smc_err *err)
{
	follow->clock = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	return bpf_programs_read(follow->programs, err) ?: tell_lost(follow, err);
}

/* ---- listeners ---- */

struct listener {
	struct smc_sock sock;
	struct smclife_process process;
};

static int begin(void *arg)
{
	((struct listeners *)arg)->count = 0;
	return 0;
}

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	struct listeners *listeners = arg;
	struct listener listener = { .process.pid = 0 };

	if (smc_sock_decode(&listener.sock, nlh))
		return smc_err_say(listeners->err, EBADMSG,
				   "the kernel's answer about a socket is too short");
	if (listener.sock.state == SMC_ABI_LISTEN)
		*smc_array_add(&listeners->entries, &listeners->count) = listener;
	return 0;
}

static int name_process(struct listeners *listeners, struct listener *listener)
{
	struct smc_sock *sock = &listener->sock;
	const struct proc_fd *holder;
	size_t count;
	int ret = 0;

	if (smc_sock_needs_lookup(sock))
		ret = sockets_complete(&listeners->lookup, sock, listeners->err);
	holder = proc_table_find(&listeners->lookup.procs, sock->inode, &count);
	if (!holder)
		return ret;
	listener->process.pid = (uint32_t)holder->pid;
	memcpy(listener->process.comm, holder->comm, sizeof(holder->comm));
	return ret;
}

static int load(struct listeners *listeners, struct smc_err *err)
{
	const struct sockets_source source = { .begin = begin,
					       .on_message = on_message,
					       .arg = listeners };
	int ret;

	listeners->err = err;
	listeners->is_stale = false;
	ret = sockets_fetch(&source, err) ?: sockets_load_processes(&listeners->lookup, err);
	for (size_t i = 0; !ret && i < listeners->count; i++)
		ret = name_process(listeners, &listeners->entries[i]);
	sockets_lookup_free(&listeners->lookup);
	listeners->at = clock_ns(CLOCK_MONOTONIC);
	return ret;
}

/* A specific address takes precedence over the wildcard. */
static const struct listener *find(const struct listeners *listeners, const struct smc_addr *local)
{
	static const uint8_t any[16];
	const struct listener *found = NULL;

	for_each(listener, listeners->entries, listeners->count) {
		const struct smc_addr *at = &listener->sock.local;

		if (at->port != local->port)
			continue;
		if (at->family == local->family && !memcmp(at->ip, local->ip, sizeof(at->ip)))
			return listener;
		if (!memcmp(at->ip, any, sizeof(any)))
			found = listener;
	}
	return found;
}

int listeners_find(struct listeners *listeners, struct event *event, struct smc_err *err)
{
	const struct listener *listener = NULL;
	int ret = 0;

	if (!listeners->is_stale)
		listener = find(listeners, &event->sock.local);
	if (!listener &&
	    (!listeners->at || clock_ns(CLOCK_MONOTONIC) - listeners->at >= PAUSE_NS)) {
		ret = load(listeners, err);
		listener = ret ? NULL : find(listeners, &event->sock.local);
	}
	if (!listener)
		return ret;
	event->sock.uid = listener->sock.uid;
	event->process = listener->process;
	return 0;
}
