/* SPDX-License-Identifier: MIT */
/* Apply and read the policy of the caller's network namespace. */
#pragma once

#include "settings/policy.h"

/**
 * policy_apply() - replace the policy; an empty one removes it
 * @policy: settled. Without "by", uses the kernel's hook if the kernel and libbpf support it
 * @by: receives the enforcer, POLICY_BY_ANY for an empty policy; may be NULL
 *
 * All or nothing. If the policy is in force already, it is left alone, with its counters.
 */
int policy_apply(const struct policy *policy, enum policy_by *by, struct smc_err *err);

/** policy_check() - could this policy be applied here? */
int policy_check(const struct policy *policy, struct smc_err *err);

/**
 * policy_read() - read the policy in force, with its counters
 * @policy: empty before the call; settled afterwards. Its by is POLICY_BY_ANY if there is none.
 *
 * Return: 0, -errno with a sentence: -EPERM without the rights to read it; -ESTALE for a policy
 * that this namespace inherited, with only its by.
 */
int policy_read(struct policy *policy, struct smc_err *err);

/* ---- smc_hs_ctrl, the kernel's own hook (Linux 6.19 on) ---- */

/** policy_hsctrl_exists() - does the kernel have the hook? SMC must be loaded */
bool policy_hsctrl_exists(void);

/**
 * policy_hsctrl_apply() - replace the policy atomically; an empty one removes it
 *
 * All or nothing. Counters start at 0. The maps are pinned below
 * /sys/fs/bpf/smc-tools-policy by the name in sysctl net.smc.hs_ctrl; the kernel keeps the programs
 * while a namespace uses that name.
 *
 * Return: 0; -EBUSY if the namespace has a foreign controller; -EPERM, -ENOSYS without libbpf,
 * -errno; all with a sentence.
 */
int policy_hsctrl_apply(const struct policy *policy, struct smc_err *err);

/** policy_hsctrl_read() - as policy_read() */
int policy_hsctrl_read(struct policy *policy, struct smc_err *err);

/* ---- nftables ---- */

/*
 * Our one table, "inet smc-tools", removes the TCP option of SMC from SYNs. Other tables are never
 * touched; a flush of the whole ruleset, as in Debian's nftables.conf, removes ours too.
 * libnftables is loaded on demand, not linked. Needs Linux 5.18 and CAP_NET_ADMIN.
 */
#define POLICY_TABLE "smc-tools"

/** policy_nft_script() - one transaction for nft(8) that replaces the table. Pure */
void policy_nft_script(struct out_text *text, const struct policy *policy);

/**
 * policy_nft_apply() - replace the table; remove it for an empty policy
 *
 * All or nothing. Counters start at 0.
 *
 * Return: 0; -ENOSYS without nftables in the kernel, or libnftables; -EPERM; -EIO with the message
 * of nftables.
 */
int policy_nft_apply(const struct policy *policy, struct smc_err *err);

/** policy_nft_check() - can the table be created here? Return: 0, errors as above */
int policy_nft_check(struct smc_err *err);

/**
 * policy_nft_read() - as policy_read()
 *
 * A kernel without nftables has no table. Return: also -EPROTO for a table of another form.
 */
int policy_nft_read(struct policy *policy, struct smc_err *err);

/** policy_nft_parse() - parse nft's JSON of the table. Pure. Return: 0, -EPROTO */
int policy_nft_parse(struct policy *policy, const char *json);
