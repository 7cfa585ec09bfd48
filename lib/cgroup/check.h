/* SPDX-License-Identifier: MIT */
/* Requirements of the host for attaching. */
#pragma once

#include "base/err.h"

/* The kernel's function that the eBPF program hooks into. */
#define SCOPE_FUNCTION "update_socket_protocol"

/**
 * bpf_convert_missing() - what this kernel lacks for eBPF to make SMC sockets of TCP sockets
 *
 * More than whether SMC is here, see host/smc.h: also a hook, and what lets eBPF use it. By
 * socket(2), and by the functions that the kernel's type information (BTF) has: files below
 * /proc/sys are not the same in all network namespaces.
 *
 * Return: words, "BTF (CONFIG_DEBUG_INFO_BTF)"; NULL for nothing.
 */
const char *bpf_convert_missing(void);

/** check_host() - can something be attached here, and by us? Return: 0, -errno with a sentence */
int check_host(struct smc_err *err);
