/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Both ends of a connection, in records of eBPF programs. */
#pragma once

#include <linux/types.h>

/** struct bpf_ends - @local, @peer: IPv4 in the first four bytes; ports in host order */
struct bpf_ends {
	__u16 family, local_port, peer_port, unused;
	__u8 local[16], peer[16];
};
