// SPDX-License-Identifier: MIT
/* The table of a policy, as nft(8) reads it. */
#include "settings/nft.h"

#include <string.h>

/* Only SMC's, which others who use the experimental option do not begin with. <net/tcp.h> */
#define HAS_OPTION "tcp option @254,16,32 0xe2d4c3d9"
#define REMOVE_OPTION "counter reset tcp option 254 return"
#define IS_SYN "tcp flags & (fin|syn|rst|ack) == syn"
#define LEARNED_MAX 65536

/* TCP's, in bits, without and with timestamps. */
static const unsigned int headers[] = { 160, 256 };

/* Both chains of rules differ in this. */
struct chain {
	const char *name, *hook, *addr;
	enum policy_side side;
};

static const struct chain chains[] = {
	{ "to", "output", "daddr", POLICY_TO },
	{ "from", "input", "saddr", POLICY_FROM },
};

static const struct family {
	const char *name, *set, *type;
	int number;
	unsigned int header; /* that the length of a packet includes */
} families[] = {
	{ "ip", "4", "ipv4_addr", AF_INET, 20 },
	{ "ip6", "6", "ipv6_addr", AF_INET6, 0 },
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

static bool has_family(const struct policy_rule *rule, const struct family *family)
{
	for (size_t i = 0; i < rule->count; i++)
		if (rule->nets[i].family == family->number)
			return true;
	return false;
}

static void write_sets(struct out_text *text, const struct policy_rule *rule, size_t number)
{
	char net[NETADDR_TEXT_SIZE];

	for (const struct family *family = families; family < families + FAMILIES; family++) {
		if (!has_family(rule, family))
			continue;
		out_printf(text, "set r%zuv%s { type %s; flags interval; elements = {", number,
			   family->set, family->type);
		for (size_t i = 0; i < rule->count; i++) {
			if (rule->nets[i].family != family->number)
				continue;
			netaddr_text(net, &rule->nets[i], false);
			out_printf(text, "%s,\n", net);
		}
		out_str(text, "} }\n");
	}
}

static void write_port_set(struct out_text *text, const struct policy *policy)
{
	if (!policy->port_count)
		return;
	out_str(text, "set ports { type inet_service; flags interval; elements = {");
	for (size_t i = 0; i < policy->port_count; i++)
		out_printf(text, "%u-%u,\n", policy->ports[i].low, policy->ports[i].high);
	out_str(text, "} }\n");
}

static void write_ports(struct out_text *text, const struct policy_rule *rule)
{
	if (rule->ports.low)
		out_printf(text, "tcp dport %u-%u ", rule->ports.low, rule->ports.high);
}

/* The comment names the rule for who reads the table. */
static void write_rule(struct out_text *text, const struct policy_rule *rule, size_t number,
		       const struct chain *chain)
{
	char what[16];

	policy_rule_text(what, rule);
	for (const struct family *family = families; family < families + FAMILIES; family++) {
		if (!has_family(rule, family))
			continue;
		out_printf(text, "%s %s @r%zuv%s ", family->name, chain->addr, number, family->set);
		write_ports(text, rule);
		out_printf(text, "%s comment \"%zu %u-%u %s\"\n",
			   rule->action == POLICY_DENY ? REMOVE_OPTION : "counter return", number,
			   rule->ports.low, rule->ports.high, what);
	}
}

/* First who is denied, then who is allowed, then everybody else. */
static void write_rules(struct out_text *text, const struct policy *policy,
			const struct chain *chain)
{
	out_printf(text, "chain %s_rules {\n", chain->name);
	if (policy->learn && chain->side == POLICY_TO)
		out_str(text, "ip daddr @learned4 " REMOVE_OPTION "\n"
			      "ip6 daddr @learned6 " REMOVE_OPTION "\n");
	if (policy->port_count)
		out_str(text, "tcp dport @ports " REMOVE_OPTION " comment \"ports\"\n");
	for (size_t i = 0; i < policy->count; i++)
		if (!policy->rules[i].side || policy->rules[i].side == chain->side)
			write_rule(text, &policy->rules[i], i, chain);
	for (size_t i = 0; i < policy->count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		if (rule->action != POLICY_ALLOW || (rule->side && rule->side != chain->side))
			continue;
		write_ports(text, rule);
		out_printf(text, REMOVE_OPTION " comment \"%zu others\"\n", i);
	}
	out_str(text, "}\n");
}

/*
 * Sets of those whose SYN-ACK had the option and who have not sent a CLC message yet, of those of
 * whom that is not too much to ask yet (the kernel waits for 6 s), and of those who never did.
 */
static void write_learn_sets(struct out_text *text, const struct policy *policy)
{
	for (const struct family *family = families; family < families + FAMILIES; family++)
		out_printf(text,
			   "set learned%s { type %s; flags timeout,dynamic; timeout %us; "
			   "size %d; }\n"
			   "set asked%s { type %s . inet_service . inet_service; "
			   "flags timeout,dynamic; timeout 60s; size %d; }\n"
			   "set fresh%s { type %s . inet_service . inet_service; "
			   "flags timeout,dynamic; timeout 5s; size %d; }\n",
			   family->set, family->type, policy->learn, LEARNED_MAX, family->set,
			   family->type, LEARNED_MAX, family->set, family->type, LEARNED_MAX);
}

/*
 * The peer says something. A CLC message begins with "SMC" in EBCDIC, its type is byte 4, 4 for a
 * decline (RFC 7609 A.2). Behind longer headers, which SACK makes, nothing is judged. No
 * concatenation of lengths: nft 1.0.6 cannot list it.
 */
static void write_answers(struct out_text *text, const struct family *family)
{
	const char *ip = family->name, *set = family->set;

	out_printf(text, "chain answered%s {\ntcp flags & syn == syn return\n", set);
	for (unsigned int words = 5; words <= 15; words++)
		out_printf(text, "tcp flags & (fin|rst) == 0 tcp doff %u %s length %u return\n",
			   words, ip, family->header + 4 * words);
	for (size_t i = 0; i < 2; i++)
		out_printf(text,
			   "tcp doff %u tcp flags & rst == 0 @th,%u,24 0xe2d4c3 delete "
			   "@asked%s { %s saddr . tcp sport . tcp dport } return\n",
			   headers[i] / 32, headers[i], set, ip);
	out_printf(text,
		   "tcp flags & rst == 0 tcp doff != { 5, 8 } return\n"
		   "delete @asked%s { %s saddr . tcp sport . tcp dport } "
		   "update @learned%s { %s saddr }\n}\n",
		   set, ip, set, ip);
}

/* This host ends it: it declines itself, or has waited for too long. */
static void write_ends(struct out_text *text, const struct family *family)
{
	const char *set = family->set;

	out_printf(text, "chain asking%s {\n", set);
	for (size_t i = 0; i < 2; i++)
		out_printf(text, "tcp doff %u @th,%u,24 0xe2d4c3 @th,%u,8 4 goto ended%s\n",
			   headers[i] / 32, headers[i], headers[i] + 32, set);
	out_printf(text, "tcp flags & (fin|rst) != 0 goto ended%s\n}\n", set);
}

/* Before 5 s are over that says nothing of the peer. */
static void write_end(struct out_text *text, const struct family *family)
{
	const char *ip = family->name, *set = family->set;

	out_printf(text,
		   "chain ended%s {\n"
		   "delete @asked%s { %s daddr . tcp dport . tcp sport }\n"
		   "%s daddr . tcp dport . tcp sport @fresh%s return\n"
		   "update @learned%s { %s daddr }\n}\n",
		   set, set, ip, ip, set, set, ip);
}

static void write_learn(struct out_text *text, const struct chain *chain)
{
	for (const struct family *family = families; family < families + FAMILIES; family++) {
		const char *ip = family->name, *set = family->set;

		if (chain->side == POLICY_TO)
			out_printf(text,
				   "%s daddr . tcp dport . tcp sport @asked%s jump "
				   "asking%s\n",
				   ip, set, set);
		else
			out_printf(text,
				   "tcp flags & (fin|syn|rst|ack) == (syn|ack) " HAS_OPTION
				   " update @asked%s { %s saddr . tcp sport . tcp dport }"
				   " update @fresh%s { %s saddr . tcp sport . tcp dport }\n"
				   "%s saddr . tcp sport . tcp dport @asked%s jump answered%s\n",
				   set, ip, set, ip, ip, set, set);
	}
}

void policy_nft_script(struct out_text *text, const struct policy *policy)
{
	static const char table[] = "table inet " POLICY_TABLE;

	/* Deleting what is not there would be an error. */
	out_printf(text, "add %s\ndelete %s\n", table, table);
	if (policy_is_empty(policy))
		return;
	out_printf(text, "%s {\n", table);
	write_port_set(text, policy);
	for (size_t i = 0; i < policy->count; i++)
		write_sets(text, &policy->rules[i], i);
	if (policy->learn) {
		write_learn_sets(text, policy);
		for (size_t i = 0; i < FAMILIES; i++) {
			write_answers(text, &families[i]);
			write_end(text, &families[i]);
			write_ends(text, &families[i]);
		}
	}
	for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
		write_rules(text, policy, &chains[i]);
		out_printf(text, "chain %s {\ntype filter hook %s priority mangle;\n",
			   chains[i].name, chains[i].hook);
		if (policy->learn)
			write_learn(text, &chains[i]);
		out_printf(text, IS_SYN " " HAS_OPTION " jump %s_rules\n}\n", chains[i].name);
	}
	out_str(text, "}\n");
}
