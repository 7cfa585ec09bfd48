/* SPDX-License-Identifier: MIT */
/* A policy in force in the network namespace of the caller, by whichever way. */
#pragma once

#include "settings/policy.h"

/**
 * policy_apply() - put this policy in the place of another one; none, if it is empty
 * @policy: settled. Without "by" the kernel's hook is taken where there is one and libbpf, as long
 *	as there is no "learn", which only nftables can
 * @by: receives who enforces it, POLICY_BY_ANY for an empty one; may be NULL
 *
 * All or nothing; a policy that is in force already is left alone, with its counters.
 *
 * Return: 0, -errno with a sentence.
 */
int policy_apply(const struct policy *policy, enum policy_by *by, struct smc_err *err);

/** policy_check() - could this policy be applied here? Return: 0, -errno with a sentence */
int policy_check(const struct policy *policy, struct smc_err *err);

/**
 * policy_read() - what is in force, with counters
 * @policy: empty before; settled afterwards. Its by is POLICY_BY_ANY when there is none.
 *
 * Return: 0, -errno with a sentence: -EPERM without the right to ask; -ESTALE for one that this
 * namespace inherited, with only its by.
 */
int policy_read(struct policy *policy, struct smc_err *err);
