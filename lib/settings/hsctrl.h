/* SPDX-License-Identifier: MIT */
/*
 * A policy enforced by the kernel's own hook for it, smc_hs_ctrl (Linux 6.19 on), in the network
 * namespace of the caller. The maps are pinned below /sys/fs/bpf/smc-tools-policy by the name that
 * sysctl net.smc.hs_ctrl has; the kernel keeps the programs while a namespace names them.
 */
#pragma once

#include "settings/policy.h"

/** policy_hsctrl_exists() - has the kernel that hook? SMC must be loaded */
bool policy_hsctrl_exists(void);

/**
 * policy_hsctrl_apply() - put this policy in the place of another one at once; none, if it is empty
 *
 * All or nothing. Counters begin at 0. It cannot learn.
 *
 * Return: 0; -EBUSY when the namespace has a controller that is not ours; -EPERM, -ENOSYS without
 * libbpf, -errno; all with a sentence.
 */
int policy_hsctrl_apply(const struct policy *policy, struct smc_err *err);

/**
 * policy_hsctrl_read() - what is in force, with counters
 * @policy: empty before; settled afterwards
 *
 * Return: 0, also when there is none, with @policy->by for one; -errno with a sentence.
 */
int policy_hsctrl_read(struct policy *policy, struct smc_err *err);
