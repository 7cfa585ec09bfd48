/* SPDX-License-Identifier: MIT */
/* Addresses in records of eBPF programs. */
#pragma once

#include "bpf/ends.h"
#include "smc/sock.h"

/** bpf_ends_local() - the local end; an IPv4 address in an IPv6 socket becomes IPv4 */
struct smc_addr bpf_ends_local(const struct bpf_ends *ends);

/** bpf_ends_peer() - the peer's end, in the same form */
struct smc_addr bpf_ends_peer(const struct bpf_ends *ends);
