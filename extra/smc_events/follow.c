// SPDX-License-Identifier: MIT
/* The eBPF program that follows SMC sockets. */
#include "smc_events/event.h"

#include "base/clock.h"
#include "bpf/address.h"
#include "bpf/bpfmap.h"

struct event_moved follow_moved(const struct smclife_moved *moved, bool is_whole)
{
	uint64_t lap = 65536ULL * moved->buffer;
	uint64_t bytes = (uint64_t)moved->wrap * moved->buffer + moved->count;

	if (!lap)
		return (struct event_moved){ .bytes = moved->counted, .is_least = !is_whole };
	if (is_whole && moved->counted > bytes)
		bytes += (moved->counted - bytes + lap / 2) / lap * lap;
	return (struct event_moved){ .bytes = bytes, .is_least = !is_whole };
}

static void copy_mode(struct event *event, const struct smclife_socket *socket)
{
	static const uint8_t modes[] = {
		[SMCLIFE_NONE] = UINT8_MAX,
		[SMCLIFE_SMCR] = SMC_DIAG_MODE_SMCR,
		[SMCLIFE_SMCD] = SMC_DIAG_MODE_SMCD,
		[SMCLIFE_TCP] = SMC_DIAG_MODE_FALLBACK_TCP,
	};

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
	const struct bpf_watch watch = {
		.elf = elf,
		.len = sizeof(elf),
		.state = SMCLIFE_STATE,
		.value = &state,
		.module = "smc",
		.ring = SMCLIFE_EVENTS,
		.fn = on_record,
		.arg = follow,
	};

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
	int ret;

	follow->clock = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	ret = bpf_programs_read(follow->programs, err);
	return ret ? ret : tell_lost(follow, err);
}
