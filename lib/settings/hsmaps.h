/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Maps of rules, shared by the eBPF programs of a policy and their loader. */
#pragma once

#include <linux/types.h>

#define HS_RULES_MAX 64

/*
 * Also the name of the controller: at most 15 letters, digits, '_' and '.'. The loader fills in the
 * inode of the network namespace and a changing number.
 */
#define HS_NAME_SIZE 16
#define HS_NAME_FORM "smct_%08x_%u"
#define HS_NAME "smct_00000000_0"
/*
 * Bits of that number. TURN changes with each policy; with LATER, network namespaces that are
 * created later inherit the policy.
 */
#define HS_TURN 1
#define HS_LATER 2

/* SMC_HS_CTRL_FLAG_INHERITABLE, and the offset of the flags from the name in the object. */
#define HS_INHERITABLE 1
#define HS_FLAGS_AT HS_NAME_SIZE

/** struct hs_rule - one rule: enum policy_action, enum policy_side, ports in host order */
struct hs_rule {
	__u32 action, side;
	__u16 low, high;
};

/** struct hs_rules - the only element of "rules": deny rules come first */
struct hs_rules {
	__u32 count;
	struct hs_rule rules[HS_RULES_MAX];
};

/** struct hs_ports - the only element of "ports": a bit for each denied port */
struct hs_ports {
	__u64 words[65536 / 64];
};

/**
 * struct hs_net - key of "nets", a trie
 * @bits: prefix length; the bits of @rule and @family count as well
 * @rule: index of the rule; @family: AF_INET, AF_INET6
 */
struct hs_net {
	__u32 bits, rule, family;
	__u8 addr[16];
};
#define HS_NET_HEAD 64 /* bits of @rule and @family */

/*
 * Elements of "hits": for each rule; for each "allow" rule, packets that match none of its
 * networks; and for the denied ports.
 */
#define HS_OTHERS HS_RULES_MAX
#define HS_PORTS (2 * HS_RULES_MAX)
#define HS_HITS_MAX (HS_PORTS + 1)
