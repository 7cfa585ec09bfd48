/* SPDX-License-Identifier: MIT */
/* Addresses in records of eBPF programs. */
#pragma once

#include "bpf/ends.h"
#include "smc/sock.h"

/**
 * bpf_ends_local() - address and port of the local end; an IPv4-mapped IPv6 address becomes IPv4
 */
struct smc_addr bpf_ends_local(const struct bpf_ends *ends);

/** bpf_ends_peer() - address and port of the peer, as bpf_ends_local() */
struct smc_addr bpf_ends_peer(const struct bpf_ends *ends);
