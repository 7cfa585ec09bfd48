/* SPDX-License-Identifier: MIT */
/*
 * Policy: the peers with which this host, or one of its network namespaces, uses SMC. Pure: lines
 * to rules and back, as smc.conf(5) describes them.
 */
#pragma once

#include "base/err.h"
#include "net/netaddr.h"
#include "out/text.h"

/* Number of different combinations of allow or deny, direction and ports. */
#define POLICY_RULES_MAX 64
/* Room for one network with ports: "[fd00::]/128:65534-65535" */
#define POLICY_LINE_SIZE (NETADDR_TEXT_SIZE + 32)

enum policy_action { POLICY_DENY, POLICY_ALLOW };
enum policy_side { POLICY_BOTH, POLICY_TO, POLICY_FROM };

/** struct policy_range - ports from @low to @high, host byte order; 0 and 65535 for any */
struct policy_range {
	uint16_t low, high;
};

/**
 * struct policy_rule - networks with the same action, direction and range of ports
 * @nets: IPv4 and IPv6; their netdev is empty
 * @hits: decisions by the rule since the policy is in force: number of SYNs
 * @others: for "allow": decisions to deny, as the address was not in @nets
 */
struct policy_rule {
	enum policy_action action;
	enum policy_side side;
	struct policy_range ports;
	struct netaddr *nets;
	size_t count;
	uint64_t hits, others;
};

/** struct policy - zero-initialize: denies nothing; @ports, @port_hits: of "deny port" */
struct policy {
	struct policy_rule *rules;
	size_t count;
	struct policy_range *ports;
	size_t port_count;
	uint64_t port_hits;
};

/**
 * policy_line() - parse and add one line
 * @words: the first one is allow or deny; @bad: receives the index of the wrong word
 *
 * Return: 0; -EINVAL with the expectation in @err, without the word; the line may be added in part.
 */
int policy_line(struct policy *policy, const char *const *words, size_t count, size_t *bad,
		struct smc_err *err);

/**
 * policy_settle() - convert to the canonical form, the same for all equivalent policies
 *
 * Call after the last line, before anything else. Merges networks and ports, and sorts the rules.
 */
void policy_settle(struct policy *policy);

/** policy_is_empty() - true if it denies nothing: no table is needed */
bool policy_is_empty(const struct policy *policy);

/** policy_write() - append lines of a file, one for each network or range of ports */
void policy_write(struct out_text *text, const struct policy *policy);

/** policy_read() - parse what policy_write() has written, with a NUL, and settle */
void policy_read(struct policy *policy, const char *lines);

/** typedef policy_line_fn - takes a removed line with '-', an added one with '+' */
typedef void (*policy_line_fn)(void *arg, char sign, const char *line);

/** policy_diff() - compare what policy_write() has written; calls @fn in the order of the lines */
void policy_diff(const char *now, const char *wanted, policy_line_fn fn, void *arg);

/** policy_rule() - find or add the rule with these three */
struct policy_rule *policy_rule(struct policy *policy, enum policy_action action,
				enum policy_side side, struct policy_range ports);

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
 * @policy: settled
 *
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
 * @policy: empty before the call; settled afterwards. A kernel without nftables has none.
 *
 * Return: 0, -errno with a sentence: -EPERM without rights, -EPROTO for a table of another form.
 */
int policy_nft_read(struct policy *policy, struct smc_err *err);

/** policy_nft_parse() - parse nft's JSON of the table. Pure. Return: 0, -EPROTO */
int policy_nft_parse(struct policy *policy, const char *json);
