/* SPDX-License-Identifier: MIT */
/* What a process must be allowed to load eBPF programs. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/**
 * bpf_rights() - may this process load eBPF programs that trace?
 * @with_net_admin: and may it change other users' network?
 *
 * CAP_BPF and CAP_PERFMON, in whose place CAP_SYS_ADMIN does; with the flag CAP_NET_ADMIN too.
 * Return: 0, -EPERM with a sentence that names what is missing, -errno.
 */
int bpf_rights(bool with_net_admin, struct smc_err *err);

/** bpf_net_right() - may it change other users' network, without eBPF? Return: as bpf_rights() */
int bpf_net_right(struct smc_err *err);

/** bpf_load_error() - what the kernel's answer to loading means. Return: @ret */
int bpf_load_error(int ret, const char *what, struct smc_err *err);
