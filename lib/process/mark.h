/* SPDX-License-Identifier: MIT */
/* The eBPF program of smc_bpf, for programs that only use it. Compiled for BPF too. */
#pragma once

/* Paths of pinned objects. The hook exists while anything is attached. */
#define SCOPE_BPFFS "/sys/fs/bpf"
#define SCOPE_DIR SCOPE_BPFFS "/smc-tools"
#define SCOPE_HOOK "socket"

/*
 * An unused protocol number: when root or a member of the scope's group opens a TCP socket with it,
 * the thread is marked and gets an SMC socket. All others get the kernel's answer. So nobody needs
 * access to the map, through which other marks could be changed.
 */
#define SCOPE_ASK 0x736d63
