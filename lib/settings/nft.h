/* SPDX-License-Identifier: MIT */
/*
 * A policy enforced by nftables, in the network namespace of the caller: one table of our own,
 * "inet smc-tools", that takes the TCP option of SMC out of SYNs. Other tables are never touched;
 * who flushes the whole ruleset, as Debian's nftables.conf does, takes this one along.
 * libnftables is loaded when it is needed, not linked. Needs Linux 5.18 and CAP_NET_ADMIN.
 *
 * Peers that break the handshake are learned by the rules themselves: whoever answered with the
 * option, and then, instead of a CLC message, resets, closes, sends something else, or nothing
 * until this host closes after 5 s or more. One that does not even acknowledge is not learned.
 * Where this host has no device for SMC, it declines before a peer can show anything: then nobody
 * is learned.
 */
#pragma once

#include "settings/policy.h"

#define POLICY_TABLE "smc-tools"

/** policy_nft_script() - what nft(8) is told, as one transaction that replaces the table. Pure */
void policy_nft_script(struct out_text *text, const struct policy *policy);

/**
 * policy_nft_apply() - replace the table by one of this policy; remove it for an empty one
 *
 * All or nothing. Counters begin at 0 and what was learned is forgotten.
 *
 * Return: 0; -ENOSYS without nftables in the kernel, or libnftables; -EPERM; -EIO with what
 * nftables says.
 */
int policy_nft_apply(const struct policy *policy, struct smc_err *err);

/** policy_nft_check() - could it do anything here? Return: 0, errors as above */
int policy_nft_check(struct smc_err *err);

/**
 * policy_nft_read() - what is in force, with counters
 * @policy: empty before; settled afterwards
 *
 * Return: 0, also when there is no table, with @policy->by for a table; errors as above, but for a
 * kernel without nftables, which has none; -EPROTO for a table that is not like ours.
 */
int policy_nft_read(struct policy *policy, struct smc_err *err);

/** policy_nft_parse() - the same from nft's JSON of the table. Pure. Return: 0, -EPROTO */
int policy_nft_parse(struct policy *policy, const char *json);
