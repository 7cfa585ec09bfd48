/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Records of the eBPF program tcplife.bpf.c: ended TCP connections. Used on both sides. */
#pragma once

#include "bpf/ends.h"

/* Maps of the program. */
#define TCPLIFE_STATE "tcplife_state"
#define TCPLIFE_EVENTS "tcplife_events"

#define TCPLIFE_EVENTS_SIZE (4 * 1024 * 1024)

/**
 * struct tcplife_state - state shared with the reader
 * @netns: inode of the namespace to watch; @lost: records dropped as the ring was full
 */
struct tcplife_state {
	__u32 netns, unused;
	__u64 lost;
};

enum tcplife_side {
	TCPLIFE_UNKNOWN,
	TCPLIFE_CLIENT,
	TCPLIFE_SERVER,
};

/** struct tcplife_process - process that connected or closed; @pid: host PID; 0: not seen */
struct tcplife_process {
	__u32 pid;
	char comm[16];
	char unit[64]; /* name of its control group, if directly in system.slice */
};

/**
 * struct tcplife_end - a connection that ended
 * @born, @died: CLOCK_MONOTONIC in ns; @born 0: established before the program was loaded
 * @sent: payload without retransmissions; @ulp: upper layer protocol of the socket
 */
struct tcplife_end {
	__u64 cookie, born, died, sent, received;
	__u32 segs_sent, segs_received, mss;
	__u16 unused;
	__u8 side, is_smc, is_signed, is_fast_open;
	struct bpf_ends ends;
	char ulp[16];
	struct tcplife_process process;
};
