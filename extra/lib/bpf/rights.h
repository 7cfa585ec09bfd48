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

/** bpf_net_right() - like bpf_rights(), for CAP_NET_ADMIN alone */
int bpf_net_right(struct smc_err *err);

/** bpf_load_error() - explain why the kernel refused to load a program. Return: @ret */
int bpf_load_error(int ret, const char *what, struct smc_err *err);
