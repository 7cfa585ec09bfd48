/* SPDX-License-Identifier: MIT */
/* The eBPF program of smc_bpf, for programs that only use it. Compiled for BPF too. */
#pragma once

/* Paths of pinned objects. The hook exists while anything is attached. */
#define SCOPE_BPFFS "/sys/fs/bpf"
#define SCOPE_DIR SCOPE_BPFFS "/smc-tools"
#define SCOPE_HOOK "socket"

/*
 * An unused protocol number: when root or a member of the scope's group asks for such a TCP socket,
 * its thread is marked, and the answer is an SMC socket. For all others the kernel's answer stands.
 * So nobody needs access to the map, through which other marks could be changed.
 */
#define SCOPE_ASK 0x736d63
