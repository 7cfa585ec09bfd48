/* SPDX-License-Identifier: Dual MIT/GPL */
/* What the eBPF programs of a policy and their loader share: rules as maps. */
#pragma once

#include <linux/types.h>

#define HS_RULES_MAX 64

/*
 * Also the name of the controller: letters, digits, '_' and '.', 15 at most. The loader puts the
 * inode of the network namespace and a number that changes there.
 */
#define HS_NAME_SIZE 16
#define HS_NAME_FORM "smct_%08x_%u"
#define HS_NAME "smct_00000000_0"
/* Of that number: each policy has another one than that before; later namespaces begin with it. */
#define HS_TURN 1
#define HS_LATER 2

/* SMC_HS_CTRL_FLAG_INHERITABLE, and how far behind the name the flags are in the object. */
#define HS_INHERITABLE 1
#define HS_FLAGS_AT HS_NAME_SIZE

/** struct hs_rule - enum policy_action, enum policy_side; ports in host order */
struct hs_rule {
	__u32 action, side;
	__u16 low, high;
};

/** struct hs_rules - the only element of "rules": those that deny come first */
struct hs_rules {
	__u32 count;
	struct hs_rule rules[HS_RULES_MAX];
};

/** struct hs_ports - the only element of "ports": a bit for each port that is denied */
struct hs_ports {
	__u64 words[65536 / 64];
};

/**
 * struct hs_net - key of "nets", a trie
 * @bits: how many count, beginning with @rule
 * @rule: index of the rule; @family: AF_INET, AF_INET6
 */
struct hs_net {
	__u32 bits, rule, family;
	__u8 addr[16];
};
#define HS_NET_HEAD 64 /* bits of @rule and @family */

/* Elements of "hits": those of the rules, of everybody else for "allow", of the ports. */
#define HS_OTHERS HS_RULES_MAX
#define HS_PORTS (2 * HS_RULES_MAX)
#define HS_HITS_MAX (HS_PORTS + 1)
