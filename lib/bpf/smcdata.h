/* SPDX-License-Identifier: Dual MIT/GPL */
/* What the eBPF program smcdata.bpf.c tells of the bytes of SMC connections: for both sides. */
#pragma once

#include "bpf/ends.h"

/* Its maps. */
#define SMCDATA_STATE "smcdata_state"
#define SMCDATA_RECORDS "smcdata_records"

#define SMCDATA_RING_SIZE (16 * 1024 * 1024)
#define SMCDATA_CONNS 262144
#define SMCDATA_VERDICTS 65536

/* A record has no more of a piece; what is larger comes in several. */
#define SMCDATA_BYTES 16384

/**
 * struct smcdata_state - mapped into the reader
 * @netns: inode of the namespace to watch
 * @snaplen: bytes to tell of each piece
 * @lost, @lost_bytes: pieces without room in the ring, and what they stood for
 * @unread: bytes that the program cannot read: their length is told
 * @next_id: of a connection
 * @unwanted: ids whose bytes nobody wants, each at its place modulo SMCDATA_VERDICTS. As no id
 *	comes twice, a verdict that comes late meets nobody else
 */
struct smcdata_state {
	__u32 netns, snaplen;
	__u64 lost, lost_bytes, unread, next_id;
	__u64 unwanted[SMCDATA_VERDICTS];
};

enum smcdata_kind {
	SMCDATA_SENT,
	SMCDATA_RECEIVED,
	SMCDATA_CLOSE,
};

enum smcdata_mode {
	SMCDATA_UNKNOWN,
	SMCDATA_SMCR,
	SMCDATA_SMCD,
};

enum smcdata_side {
	SMCDATA_ANY_SIDE,
	SMCDATA_CLIENT,
	SMCDATA_SERVER,
};

/**
 * struct smcdata_conn - a connection; of the same local and peer address there may be another one,
 *	at the other end of it
 * @id: from 1 on
 * @sent, @received: bytes so far
 * @lgr: id of an SMC-R link group; 0: not known
 * @pid: of the process that wrote or read last, the host's; 0: the kernel did it for somebody
 * @is_old: it was there before the program; @told: records
 */
struct smcdata_conn {
	__u64 id, sent, received;
	__u32 lgr;
	__u32 pid;
	__u8 mode, side, is_old, is_unwanted;
	__u32 told;
	struct bpf_ends ends;
};

/**
 * struct smcdata_record - what happened; the bytes follow
 * @at: CLOCK_MONOTONIC in ns
 * @conn: before this piece: what was lost is missing between two records
 * @full: bytes that went by; @len: those that follow
 * @is_other_process: than before: its user and name follow
 * @is_unread: the rest could not be read
 */
struct smcdata_record {
	__u64 at;
	struct smcdata_conn conn;
	__u32 kind, full, len, uid;
	__u8 is_unread, is_other_process, unused[6];
	char comm[16];
};
