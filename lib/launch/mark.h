/* SPDX-License-Identifier: MIT */
/* This process, marked for the eBPF program of smc_bpf. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/**
 * bpf_mark_self() - the TCP sockets of this process, and of all it starts, become SMC sockets
 *
 * A member of the group that smc_bpf allows needs no privileges, nor does who may write to the
 * pinned map. Where nothing is pinned, smc_bpf is asked to load the program, which needs them:
 * @is_loaded, as that stays.
 *
 * Return: 0, -errno with a sentence; nothing has happened then.
 */
int bpf_mark_self(bool *is_loaded, struct smc_err *err);
