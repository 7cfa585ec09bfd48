/* SPDX-License-Identifier: MIT */
/* A policy in force in the network namespace of the caller, by whichever way. */
#pragma once

#include "settings/policy.h"

/**
 * policy_apply() - replace the policy by this one; an empty one removes it
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

/* ---- the kernel's own hook for it, smc_hs_ctrl (Linux 6.19 on) ---- */

/** policy_hsctrl_exists() - has the kernel that hook? SMC must be loaded */
bool policy_hsctrl_exists(void);

/**
 * policy_hsctrl_apply() - replace the policy by this one, at once; an empty one removes it
 *
 * All or nothing. Counters begin at 0. It cannot learn. The maps are pinned below
 * /sys/fs/bpf/smc-tools-policy by the name that sysctl net.smc.hs_ctrl has; the kernel keeps the
 * programs while a namespace names them.
 *
 * Return: 0; -EBUSY when the namespace has a controller that is not ours; -EPERM, -ENOSYS without
 * libbpf, -errno; all with a sentence.
 */
int policy_hsctrl_apply(const struct policy *policy, struct smc_err *err);

/** policy_hsctrl_read() - as policy_read() */
int policy_hsctrl_read(struct policy *policy, struct smc_err *err);

/* ---- nftables ---- */

/*
 * One table of our own, "inet smc-tools", that takes the TCP option of SMC out of SYNs. Other
 * tables are never touched; who flushes the whole ruleset, as Debian's nftables.conf does, takes
 * this one along. libnftables is loaded when it is needed, not linked. Needs Linux 5.18 and
 * CAP_NET_ADMIN.
 *
 * Peers that break the handshake are learned by the rules themselves: whoever answered with the
 * option, and then, instead of a CLC message, resets, closes, sends something else, or nothing
 * until this host closes after 5 s or more. One that does not even acknowledge is not learned.
 * Where this host has no device for SMC, it declines before a peer can show anything: then nobody
 * is learned.
 */
#define POLICY_TABLE "smc-tools"

/** policy_nft_script() - one transaction for nft(8), which replaces the table. Pure */
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
 * policy_nft_read() - as policy_read()
 *
 * A kernel without nftables has no table. Return: also -EPROTO for one that is not like ours.
 */
int policy_nft_read(struct policy *policy, struct smc_err *err);

/** policy_nft_parse() - the same from nft's JSON of the table. Pure. Return: 0, -EPROTO */
int policy_nft_parse(struct policy *policy, const char *json);

/* ---- rules of others ---- */

#define POLICY_OWNER_SIZE 400

/**
 * policy_nft_owner() - count rules that go by the owner of a packet, which SMC's packets do not have
 * @ruleset: as "nft list ruleset" prints it; rules of iptables-nft are there, too
 * @first: receives the first one with its table and chain; empty for none
 */
int policy_nft_owner(const char *ruleset, char first[POLICY_OWNER_SIZE]);

/**
 * policy_nft_read_owner() - the same of this network namespace
 *
 * Return: how many; -EPERM without the right to ask, -ENOSYS without libnftables, -errno; with a
 * sentence.
 */
int policy_nft_read_owner(char first[POLICY_OWNER_SIZE], struct smc_err *err);
