/* SPDX-License-Identifier: MIT */
/* How a process asks the eBPF program of smc_bpf for its mark. Compiled for BPF too. */
#pragma once

/*
 * An unused protocol number: when root or a member of the scope's group asks for such a TCP socket,
 * its thread is marked, and the answer is an SMC socket. For all others the kernel's answer stands.
 * So nobody needs access to the map, through which other marks could be changed.
 */
#define SMC_ASK_FOR_MARK 0x736d63
