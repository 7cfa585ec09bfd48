/* SPDX-License-Identifier: MIT */
/* Capabilities needed to load eBPF programs. */
#pragma once

#include "base/err.h"

/**
 * bpf_rights() - true if this process may load tracing programs
 * @with_net_admin: also require CAP_NET_ADMIN
 *
 * Requires CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN instead of both.
 * Return: 0, -EPERM with a sentence that names the missing capability, -errno.
 */
int bpf_rights(bool with_net_admin, struct smc_err *err);

/** bpf_net_right() - as bpf_rights(), for CAP_NET_ADMIN alone */
int bpf_net_right(struct smc_err *err);

/** bpf_load_error() - explain why the kernel refused to load a program. Return: @ret */
int bpf_load_error(int ret, const char *what, struct smc_err *err);

/* ---- type information of the kernel ---- */

/* Function of the JIT compiler; trampolines and callbacks (bpf_loop()) need the JIT. */
#define BTF_JIT "bpf_jit_charge_modmem"

/**
 * btf_read() - the whole BTF of the kernel, @len bytes of binary data
 *
 * Return: memory to be freed, or NULL if there is none.
 */
char *btf_read(size_t *len);

/** btf_has_name() - true if a function or type has that name (at most 62 characters) */
bool btf_has_name(const char *btf, size_t len, const char *name);

/**
 * btf_kernel_has() - btf_has_name() of the running kernel, read once
 *
 * Return: 1, 0; -1 without BTF.
 */
int btf_kernel_has(const char *name);
