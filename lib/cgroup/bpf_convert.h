/* SPDX-License-Identifier: MIT */
/* What the kernel must have for eBPF to make SMC sockets of a program's TCP sockets. */
#pragma once

/**
 * bpf_convert_missing() - what this kernel lacks for that
 *
 * More than whether SMC is here, see host/smc.h: also a hook, and what lets eBPF use it. By
 * socket(2), and by the functions that the kernel's type information (BTF) has: files below
 * /proc/sys are not the same in all network namespaces.
 *
 * Return: words, "BTF (CONFIG_DEBUG_INFO_BTF)"; NULL for nothing.
 */
const char *bpf_convert_missing(void);
