/* SPDX-License-Identifier: MIT */
/*
 * The policy of the caller's network namespace, by nftables.
 *
 * Our one table, "inet smc-tools", removes the TCP option of SMC from SYNs. Other tables are never
 * touched; a flush of the whole ruleset, as in Debian's nftables.conf, removes ours too.
 * libnftables is loaded on demand, not linked. Needs Linux 5.18 and CAP_NET_ADMIN.
 */
#pragma once

#include "settings/policy.h"

#define POLICY_TABLE "smc-tools"

/** policy_nft_script() - one transaction for nft(8) that replaces the table. Pure */
void policy_nft_script(struct out_text *text, const struct policy *policy);

/**
 * policy_nft_apply() - replace the table; remove it for an empty policy
 * @policy: settled
 *
 * All or nothing. Counters start at 0.
 * Return: 0; -ENOSYS without nftables in the kernel, or libnftables; -EPERM; -EIO from nftables.
 */
int policy_nft_apply(const struct policy *policy, struct smc_err *err);

/** policy_nft_check() - check that the table can be created. Return: 0, errors as above */
int policy_nft_check(struct smc_err *err);

/**
 * policy_nft_read() - read the policy in force, with its counters
 * @policy: empty before the call; settled afterwards. A kernel without nftables has none.
 *
 * Return: 0, -errno with a sentence: -EPERM without rights, -EPROTO for a table of another form.
 */
int policy_nft_read(struct policy *policy, struct smc_err *err);

/** policy_nft_parse() - parse nft's JSON of the table. Pure. Return: 0, -EPROTO */
int policy_nft_parse(struct policy *policy, const char *json);
