/* SPDX-License-Identifier: MIT */
/* Type information of the kernel (BTF), and features of eBPF that it shows. */
#pragma once

#include "base/libc.h"

/* Function of the JIT compiler; trampolines and callbacks (bpf_loop()) need the JIT. */
#define BTF_JIT "bpf_jit_charge_modmem"

/** btf_has_name() - true if a function or type has that name (at most 62 characters) */
bool btf_has_name(const char *btf, size_t len, const char *name);

/** btf_kernel_has() - btf_has_name() for the running kernel, read once. Return: 1, 0; -1: no BTF */
int btf_kernel_has(const char *name);

/* Kernel functions that the eBPF programs hook into. */
#define SCOPE_FUNCTION "update_socket_protocol"
#define SCOPE_OPTIONS_FUNCTION "security_socket_setsockopt"

/**
 * bpf_convert_missing() - what this kernel lacks to convert TCP sockets by eBPF
 *
 * This covers the hook, and the eBPF features that use it; for SMC itself see host/smc.h. Checked
 * by socket(2), and by functions in the kernel's type information (BTF), because files below
 * /proc/sys differ between network namespaces.
 *
 * Return: the feature, "BTF (CONFIG_DEBUG_INFO_BTF)"; NULL if nothing is missing.
 */
const char *bpf_convert_missing(void);
