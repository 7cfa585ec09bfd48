/* SPDX-License-Identifier: MIT */
/* Addresses that eBPF programs tell. */
#pragma once

#include "bpf/ends.h"
#include "smc/sock.h"

/** bpf_ends_local() - the local end; IPv4 in an IPv6 socket is IPv4 */
struct smc_addr bpf_ends_local(const struct bpf_ends *ends);

/** bpf_ends_peer() - the same of the peer's */
struct smc_addr bpf_ends_peer(const struct bpf_ends *ends);
