/* SPDX-License-Identifier: MIT */
/* Addresses in records of eBPF programs; an IPv4-mapped IPv6 address becomes IPv4. */
#pragma once

#include "bpf/ends.h"
#include "smc/tcp.h"

static inline struct smc_addr bpf_address(__u16 family, const __u8 ip[16], __u16 port)
{
	struct smc_addr addr = { .family = (uint8_t)family, .port = port };

	memcpy(addr.ip, ip, sizeof(addr.ip));
	smc_addr_unmap(&addr);
	return addr;
}

/** bpf_ends_local() - address and port of the local end */
static inline struct smc_addr bpf_ends_local(const struct bpf_ends *ends)
{
	return bpf_address(ends->family, ends->local, ends->local_port);
}

/** bpf_ends_peer() - address and port of the peer */
static inline struct smc_addr bpf_ends_peer(const struct bpf_ends *ends)
{
	return bpf_address(ends->family, ends->peer, ends->peer_port);
}
