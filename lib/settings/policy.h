/* SPDX-License-Identifier: MIT */
/*
 * Policy: with whom this host, or a network namespace of it, uses SMC. Pure: lines to rules and
 * back. settings/enforce.h has them enforced.
 *
 *	allow [to | from] NETWORK[:PORTS]...
 *	deny  [to | from] NETWORK[:PORTS]...
 *	deny  port PORTS[,PORTS]...
 *	learn TIME
 *	by nft | bpf
 *
 * NETWORK is 10.0.0.0/8, 10.9.0.7, fd00::/8, or [fd00::]/8 in front of ports; PORTS is 443 or
 * 8000-8100; TIME is a number with s, m, h or d. The rules are about each connection:
 *
 * - A port is that of the server, whichever end this host is.
 * - "to" means connections that this host makes, "from" those that it accepts; without a word both.
 *   A connection to this host itself is one of each, and needs the leave of both.
 * - The network is the other end's. One of IPv4 also means sockets of IPv6 that speak IPv4
 *   (::ffff:10.0.0.1); one of IPv6, even ::/0, means IPv6 only.
 * - "deny": these use plain TCP. It wins over every "allow".
 * - "allow": of the connections in its direction with its ports, these use SMC, everybody else
 *   plain TCP. What is allowed by one "allow" is allowed. Those that none speaks of are free.
 * - The order of lines means nothing.
 *
 * Whoever is denied is not refused: both ends fall back to TCP at once, with reason 0x03010000.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/netaddr.h"
#include "out/text.h"

/* Different combinations of allow or deny, direction and ports. */
#define POLICY_RULES_MAX 64
#define POLICY_LEARN_MAX (365U * 86400)
/* Room for one network with ports: "[fd00::]/128:65534-65535" */
#define POLICY_LINE_SIZE (NETADDR_TEXT_SIZE + 32)

enum policy_action { POLICY_DENY, POLICY_ALLOW };
enum policy_side { POLICY_BOTH, POLICY_TO, POLICY_FROM };
enum policy_by { POLICY_BY_ANY, POLICY_BY_NFT, POLICY_BY_BPF };

/** struct policy_range - ports from @low to @high, host byte order; 0 and 65535 for any */
struct policy_range {
	uint16_t low, high;
};

/**
 * struct policy_rule - the networks that one action, direction and range of ports has
 * @nets: IPv4 and IPv6; their netdev is empty
 * @hits: SYNs that it decided about, by bpf SYN-ACKs for a server, since the policy is in force
 * @others: of "allow": those that it denied, as they were not in @nets
 */
struct policy_rule {
	enum policy_action action;
	enum policy_side side;
	struct policy_range ports;
	struct netaddr *nets;
	size_t count, size;
	uint64_t hits, others;
};

/**
 * struct policy - all of it; begin with all zero, which denies nothing
 * @ports: of "deny port"; @port_hits as hits of a rule
 * @learn: seconds, 0 for not at all
 * @for_later: network namespaces that are made later begin with it; only bpf can, in the first one
 * @learned, @learned_count: peers that are denied at present because of it, as "10.0.0.1"; only in
 *	what was read from the kernel
 */
struct policy {
	struct policy_rule *rules;
	size_t count, size;
	struct policy_range *ports;
	size_t port_count, port_size;
	uint64_t port_hits;
	uint32_t learn;
	enum policy_by by;
	bool for_later;
	struct netaddr *learned;
	size_t learned_count, learned_size;
};

/** policy_is_keyword() - is that the first word of a line of a policy? */
bool policy_is_keyword(const char *word);

/**
 * policy_line() - add one line
 * @words: of which the first is a keyword
 * @bad: receives the index of the word that is wrong
 *
 * Return: 0; -EINVAL with what was expected in @err, without the word itself, and then the policy
 * may have some of the line.
 */
int policy_line(struct policy *policy, const char *const *words, size_t count, size_t *bad,
		struct smc_err *err);

/**
 * policy_lines() - all lines of a policy among those of a file that was written by policy_write(),
 *	or smc_conf export, up to the first network namespace; settled
 * @text: changed
 */
void policy_lines(struct policy *policy, char *text);

/**
 * policy_settle() - put into the only form that is like that of every policy that means the same
 *
 * After the last line, before all that follows. Networks become the fewest that are the same
 * addresses, ports the fewest ranges, rules get an order.
 */
void policy_settle(struct policy *policy);

/** policy_is_empty() - denies nothing: no table, no program is needed */
bool policy_is_empty(const struct policy *policy);

/**
 * policy_allows() - may a connection use SMC, as far as it is known beforehand?
 * @side: POLICY_TO or POLICY_FROM
 * @peer: its address, with all bits as prefix; with fewer a network, of which all must be allowed,
 *	and none be denied as a whole
 * @port: the server's
 */
bool policy_allows(const struct policy *policy, enum policy_side side, const struct netaddr *peer,
		   uint16_t port);

/** policy_write() - as lines, for a file: several networks a line */
void policy_write(struct out_text *text, const struct policy *policy);

/** typedef policy_line_fn - one line with one network or range of ports. Return: 0, or an error */
typedef int (*policy_line_fn)(void *arg, char sign, const char *line);

/**
 * policy_diff() - what must change for @now to become @wanted
 * @fn: gets '-' with a line that goes, '+' with one that comes; sorted by their text
 *
 * Without "by" in @wanted it does not matter who enforces it. @for_later does where @now is by bpf.
 *
 * Return: 0, or the value of @fn that ended it. No call means that they are equal.
 */
int policy_diff(const struct policy *now, const struct policy *wanted, policy_line_fn fn,
		void *arg);

/** policy_differs() - is there any such line? */
bool policy_differs(const struct policy *now, const struct policy *wanted);

/** policy_by_name() - "nft", "bpf", or NULL */
const char *policy_by_name(enum policy_by by);

/** policy_rule() - the rule of these three, a new one if there is none */
struct policy_rule *policy_rule(struct policy *policy, enum policy_action action,
				enum policy_side side, struct policy_range ports);

/** policy_action_name() - "allow", "deny" */
const char *policy_action_name(enum policy_action action);

/** policy_side_name() - "both", "to", "from" */
const char *policy_side_name(enum policy_side side);

/** policy_rule_text() - "allow to", without networks and ports */
void policy_rule_text(char text[16], const struct policy_rule *rule);

/** policy_free() - and make it empty */
void policy_free(struct policy *policy);
