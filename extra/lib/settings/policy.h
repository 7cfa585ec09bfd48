/* SPDX-License-Identifier: MIT */
/*
 * Policy: the peers with which this host, or one of its network namespaces, uses SMC. Pure: lines
 * of smc.conf(5) to items, and items to rules. An item is a line with one network or range of
 * ports, always in the same form: "allow to 10.0.0.0/8:80", "deny port 22".
 */
#pragma once

#include "out/text.h"
#include "smc/peer_list.h"

#define POLICY_ITEM_SIZE (PEER_TEXT_SIZE + 24)

enum policy_action { POLICY_DENY, POLICY_ALLOW };
enum policy_side { POLICY_BOTH, POLICY_TO, POLICY_FROM };

/**
 * struct policy_rule - networks with the same action, direction and range of ports
 * @low, @high: ports, host byte order; 0 and 65535 for any
 * @nets: IPv4 and IPv6, without ports
 * @hits: decisions by the rule since the policy is in force: number of SYNs
 * @others: for "allow": decisions to deny, as the address was not in @nets
 */
struct policy_rule {
	enum policy_action action;
	enum policy_side side;
	uint16_t low, high;
	struct scan_end *nets;
	size_t count;
	uint64_t hits, others;
};

/** struct policy - zero-initialize: denies nothing; @ports, @port_hits: of "deny port" */
struct policy {
	struct policy_rule *rules;
	size_t count;
	struct scan_end *ports;
	size_t port_count;
	uint64_t port_hits;
};

/** typedef policy_item_fn - takes an item. Return: 0; another value ends the walk */
typedef int (*policy_item_fn)(void *arg, const char *item);

/**
 * policy_line() - call a function for each item of a line
 * @words: the first one is allow or deny; then networks and ports, or a filter
 * @bad: receives the index of the word in progress
 *
 * Return: 0; -EINVAL with the expectation in @err, without the word; a value of @fn.
 */
int policy_line(const char *const *words, size_t count, size_t *bad, policy_item_fn fn, void *arg,
		struct smc_err *err);

/** policy_add() - add an item. Return: 0, -EPROTO */
int policy_add(struct policy *policy, const char *item);

/** policy_each() - call a function for each item. Return: 0, or another value of @fn */
int policy_each(const struct policy *policy, policy_item_fn fn, void *arg);

/** policy_is_empty() - true if it denies nothing: no table is needed */
bool policy_is_empty(const struct policy *policy);

/** policy_action_name() - "allow", "deny" */
const char *policy_action_name(enum policy_action action);

/** policy_side_name() - "both", "to", "from" */
const char *policy_side_name(enum policy_side side);

/** policy_rule_text() - "allow to", without networks and ports */
void policy_rule_text(char text[16], const struct policy_rule *rule);

/** policy_free() - free, and reset to empty */
void policy_free(struct policy *policy);

/* ---- nft.c, nft_table.c: the policy of the caller's network namespace, by nftables ---- */

/*
 * Our one table removes the TCP option of SMC from SYNs. Other tables are never touched; a flush of
 * the whole ruleset, as in Debian's nftables.conf, removes ours too. libnftables is loaded on
 * demand, not linked. Needs Linux 5.18 and CAP_NET_ADMIN.
 */
#define POLICY_TABLE "smc-tools"

/* Match SMC's magic, so other users of option 254 are left alone. <net/tcp.h> */
#define POLICY_HAS_OPTION "tcp option @254,16,32 0xe2d4c3d9"
#define POLICY_REMOVE_OPTION "counter reset tcp option 254 return"
#define POLICY_IS_SYN "tcp flags & (fin|syn|rst|ack) == syn"

/** policy_nft_script() - one transaction for nft(8) that replaces the table. Pure */
void policy_nft_script(struct out_text *text, const struct policy *policy);

/**
 * policy_nft_apply() - replace the table; remove it for an empty policy
 * All or nothing. Counters start at 0.
 * Return: 0; -ENOSYS without nftables in the kernel, or libnftables; -EPERM; -EIO from nftables.
 */
int policy_nft_apply(const struct policy *policy, struct smc_err *err);

/** policy_nft_run() - run a script of nft(8), here. Return: as policy_nft_apply() */
int policy_nft_run(const char *script, struct smc_err *err);

/** policy_nft_check() - check that the table can be created. Return: 0, errors as above */
int policy_nft_check(struct smc_err *err);

/**
 * policy_nft_read() - read the policy in force, with its counters
 * @policy: empty before the call. A kernel without nftables has none.
 *
 * Return: 0, -errno with a sentence: -EPERM without rights, -EPROTO for a table of another form.
 */
int policy_nft_read(struct policy *policy, struct smc_err *err);

/** policy_nft_parse() - parse nft's JSON of the table. Pure. Return: 0, -EPROTO */
int policy_nft_parse(struct policy *policy, const char *json);
