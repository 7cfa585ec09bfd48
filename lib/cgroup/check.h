/* SPDX-License-Identifier: MIT */
/* Requirements of the host for attaching. */
#pragma once

#include "base/err.h"

/* Kernel function that the eBPF program hooks into. */
#define SCOPE_FUNCTION "update_socket_protocol"

/**
 * bpf_convert_missing() - feature that this kernel lacks for conversion of TCP sockets by eBPF
 *
 * Besides SMC itself, see host/smc.h, this is the hook and the eBPF features to use it. Checked by
 * socket(2), and by the functions in the kernel's type information (BTF): files below /proc/sys
 * differ between network namespaces.
 *
 * Return: the feature, "BTF (CONFIG_DEBUG_INFO_BTF)"; NULL if nothing is missing.
 */
const char *bpf_convert_missing(void);

/** check_host() - can this process attach a scope here? Return: 0, -errno with a sentence */
int check_host(struct smc_err *err);
