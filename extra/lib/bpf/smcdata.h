/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Records of the eBPF program smcdata.bpf.c: bytes of SMC connections. Used on both sides. */
#pragma once

#include "bpf/ends.h"

/* Maps of the program. */
#define SMCDATA_STATE "smcdata_state"
#define SMCDATA_RECORDS "smcdata_records"

#define SMCDATA_RING_SIZE (16 * 1024 * 1024)
#define SMCDATA_CONNS 262144
#define SMCDATA_VERDICTS 65536

/* Maximum bytes of a record; larger pieces take several records. */
#define SMCDATA_BYTES 16384

/**
 * struct smcdata_state - mapped into the reader
 * @netns: inode of the namespace to watch; @snaplen: maximum bytes to capture of each piece
 * @lost, @lost_bytes: pieces dropped as the ring was full, and their bytes
 * @unread: bytes that the program could not read: only their length is reported
 * @next_id: id of the next connection
 * @unwanted: ids whose bytes are not wanted, each at its id modulo SMCDATA_VERDICTS. Ids are never
 *	reused, so a late verdict cannot hit another connection
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
 * struct smcdata_conn - a connection; the other end may be on this host too, with both addresses
 *	swapped
 * @id: from 1 on
 * @sent, @received: bytes so far
 * @lgr: id of an SMC-R link group; 0: not known
 * @pid: host PID of the process that last wrote or read; 0: a kernel worker did it
 * @is_old: it existed before the program was loaded; @records: sent so far
 */
struct smcdata_conn {
	__u64 id, sent, received;
	__u32 lgr;
	__u32 pid;
	__u8 mode, side, is_old, is_unwanted;
	__u32 records;
	struct bpf_ends ends;
};

/**
 * struct smcdata_record - header of a record; the bytes follow
 * @at: CLOCK_MONOTONIC in ns
 * @conn: state before this piece: a gap to the previous record means lost bytes
 * @full: length of the piece; @len: bytes that follow
 * @is_other_process: process changed: its user and name follow
 * @is_unread: the rest could not be read
 */
struct smcdata_record {
	__u64 at;
	struct smcdata_conn conn;
	__u32 kind, full, len, uid;
	__u8 is_unread, is_other_process, unused[6];
	char comm[16];
};
