/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Records of the eBPF program smclife.bpf.c: SMC connections and links. Used on both sides. */
#pragma once

#include "bpf/ends.h"

/* Maps of the program. */
#define SMCLIFE_STATE "smclife_state"
#define SMCLIFE_EVENTS "smclife_events"

#define SMCLIFE_EVENTS_SIZE (8 * 1024 * 1024)
#define SMCLIFE_SOCKETS 262144

/**
 * struct smclife_state - @netns: inode of the namespace to watch; @net: its address in the kernel;
 * @lost: events dropped as the ring was full
 */
struct smclife_state {
	__u32 netns, unused;
	__u64 net, lost;
};

enum smclife_kind {
	SMCLIFE_CONNECTED,
	SMCLIFE_FALLBACK,
	SMCLIFE_CLOSED,
	SMCLIFE_UNLISTEN, /* the listener was closed */
	SMCLIFE_LINK_UP,
	SMCLIFE_LINK_DOWN,
};

enum smclife_side {
	SMCLIFE_UNKNOWN,
	SMCLIFE_CLIENT,
	SMCLIFE_SERVER,
};

enum smclife_mode {
	SMCLIFE_NONE,
	SMCLIFE_SMCR,
	SMCLIFE_SMCD,
	SMCLIFE_TCP,
};

/** struct smclife_process - @pid: host PID; 0: not seen */
struct smclife_process {
	__u32 pid;
	char comm[16];
};

/**
 * struct smclife_moved - bytes of one direction
 * @counted: as the program wrote or read them; includes bytes read with MSG_PEEK
 * @wrap, @count, @buffer: the kernel's cursor, in laps of a buffer; @buffer 0: not known
 */
struct smclife_moved {
	__u64 counted;
	__u32 wrap, count, buffer, spare;
};

/**
 * struct smclife_socket - state of a socket
 * @begun: start of its handshake, CLOCK_MONOTONIC in ns; 0: before the program was loaded
 * @born: time at which it became a connection
 * @reason, @peer_diagnosis: cause of the fallback; @has_diagnosis: the latter is known
 * @lgr: id of an SMC-R link group; 0: not known
 * @uid: owner; root until the connection is accepted
 * @is_shaking: TCP was connected before SMC began
 */
struct smclife_socket {
	__u64 begun, born;
	struct smclife_moved in, out;
	__u32 reason, peer_diagnosis, lgr, uid;
	__u8 unused[3];
	__u8 side, mode, has_diagnosis, is_reported, is_shaking;
	struct bpf_ends ends;
	struct smclife_process process;
};

/**
 * struct smclife_link - a link of an SMC-R link group
 * @lgr: id as shown; @id: the link's id
 * @connections: number on the link, if the kernel counts them
 * @to: id of the link that takes them over, 0: none
 */
struct smclife_link {
	__u32 lgr, connections;
	__u8 id, port, to, has_connections;
	char device[64];
};

/** struct smclife_event - @at: CLOCK_MONOTONIC in ns */
struct smclife_event {
	__u64 at;
	__u32 kind, unused;
	union {
		struct smclife_socket socket;
		struct smclife_link link;
	};
};
