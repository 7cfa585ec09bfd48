/* SPDX-License-Identifier: Dual MIT/GPL */
/* What the eBPF program tcplife.bpf.c tells of each TCP connection that ends: for both sides. */
#pragma once

#include "bpf/ends.h"

/* Its maps. */
#define TCPLIFE_STATE "tcplife_state"
#define TCPLIFE_EVENTS "tcplife_events"

#define TCPLIFE_EVENTS_SIZE (4 * 1024 * 1024)

/** struct tcplife_state - @netns: inode of the namespace to watch; @lost: ends without room */
struct tcplife_state {
	__u32 netns, unused;
	__u64 lost;
};

enum tcplife_side {
	TCPLIFE_UNKNOWN,
	TCPLIFE_CLIENT,
	TCPLIFE_SERVER,
};

/** struct tcplife_process - who connected or closed; @pid: the host's; 0: nobody was seen */
struct tcplife_process {
	__u32 pid;
	char comm[16];
	char unit[64]; /* name of its control group, where that is directly in system.slice */
};

/**
 * struct tcplife_end - a connection that ended
 * @born, @died: CLOCK_MONOTONIC in ns; @born 0: it was established before the program was loaded
 * @sent: payload without what was sent again
 * @ulp: what took the socket over
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
