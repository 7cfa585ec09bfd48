/* SPDX-License-Identifier: MIT */
/* What the kernel must have for eBPF to make SMC sockets of a program's TCP sockets. */
#ifndef SMC_SYS_BPFWAY_H
#define SMC_SYS_BPFWAY_H

/**
 * ipproto_smc_probe() - can sockets of IPPROTO_SMC be opened?
 *
 * Return: 0; -errno of socket(2); -ENODATA when the record of a host does not tell.
 */
int ipproto_smc_probe(void);

/**
 * bpfway_missing() - what this kernel lacks for that
 *
 * By socket(2), and by the functions that the kernel's type information (BTF) has: files below
 * /proc/sys are not the same in all network namespaces.
 *
 * Return: words, "BTF (CONFIG_DEBUG_INFO_BTF)"; NULL for nothing.
 */
const char *bpfway_missing(void);

#endif
