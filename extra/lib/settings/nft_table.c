// SPDX-License-Identifier: MIT
/* The table of a policy: script for nft(8), and JSON from libnftables as in libnftables-json(5). */
#include "settings/policy.h"

#include <jansson.h>

#include "base/array.h"

#define LINES "lines"

/* Differences between the two chains of rules. */
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
} families[] = {
	{ "ip", "4", "ipv4_addr", AF_INET },
	{ "ip6", "6", "ipv6_addr", AF_INET6 },
};

static bool has_family(const struct policy_rule *rule, const struct family *family)
{
	for (size_t i = 0; i < rule->count; i++)
		if (rule->nets[i].family == family->number)
			return true;
	return false;
}

static void write_sets(struct out_text *text, const struct policy_rule *rule, size_t number)
{
	char net[PEER_TEXT_SIZE];

	for_each(family, families, ARRAY_SIZE(families)) {
		if (!has_family(rule, family))
			continue;
		out_printf(text, "set r%zuv%s { type %s; flags interval; auto-merge; elements = {",
			   number, family->set, family->type);
		for (size_t i = 0; i < rule->count; i++) {
			if (rule->nets[i].family != family->number)
				continue;
			peer_end_text(net, &rule->nets[i]);
			out_printf(text, "%s,\n", net);
		}
		out_str(text, "} }\n");
	}
}

static void write_port_set(struct out_text *text, const struct policy *policy)
{
	if (!policy->port_count)
		return;
	out_str(text, "set ports { type inet_service; flags interval; auto-merge; elements = {");
	for (size_t i = 0; i < policy->port_count; i++)
		out_printf(text, "%u-%u,\n", policy->ports[i].low, policy->ports[i].high);
	out_str(text, "} }\n");
}

static void write_ports(struct out_text *text, const struct policy_rule *rule)
{
	if (rule->low)
		out_printf(text, "tcp dport %u-%u ", rule->low, rule->high);
}

/* The comment identifies the rule for those who read the counters. */
static void write_rule(struct out_text *text, const struct policy_rule *rule, size_t number,
		       const struct chain *chain)
{
	for_each(family, families, ARRAY_SIZE(families)) {
		if (!has_family(rule, family))
			continue;
		out_printf(text, "%s %s @r%zuv%s ", family->name, chain->addr, number, family->set);
		write_ports(text, rule);
		out_printf(text, "%s comment \"%zu\"\n",
			   rule->action == POLICY_DENY ? POLICY_REMOVE_OPTION : "counter return",
			   number);
	}
}

static bool is_in(const struct policy_rule *rule, enum policy_action action,
		  const struct chain *chain)
{
	return rule->action == action && (!rule->side || rule->side == chain->side);
}

/* Denied networks come first, then allowed ones, then everybody else. */
static void write_rules(struct out_text *text, const struct policy *policy,
			const struct chain *chain)
{
	out_printf(text, "chain %s_rules {\n", chain->name);
	if (policy->port_count)
		out_str(text, "tcp dport @ports " POLICY_REMOVE_OPTION " comment \"ports\"\n");
	for (enum policy_action action = POLICY_DENY; action <= POLICY_ALLOW; action++)
		for (size_t i = 0; i < policy->count; i++)
			if (is_in(&policy->rules[i], action, chain))
				write_rule(text, &policy->rules[i], i, chain);
	for (size_t i = 0; i < policy->count; i++) {
		if (!is_in(&policy->rules[i], POLICY_ALLOW, chain))
			continue;
		write_ports(text, &policy->rules[i]);
		out_printf(text, POLICY_REMOVE_OPTION " comment \"%zu others\"\n", i);
	}
	out_str(text, "}\n");
}

static int write_item(void *text, const char *item)
{
	out_printf(text, "return comment \"%s\"\n", item);
	return 0;
}

/*
 * nftables merges networks, so the items are kept as comments of a chain that is never used. They
 * are read back: what others change in the table is not seen.
 */
static void write_items(struct out_text *text, const struct policy *policy)
{
	out_str(text, "chain " LINES " {\n");
	policy_each(policy, write_item, text);
	out_str(text, "}\n");
}

void policy_nft_script(struct out_text *text, const struct policy *policy)
{
	static const char table[] = "table inet " POLICY_TABLE;

	/* Deleting a missing table would be an error. */
	out_printf(text, "add %s\ndelete %s\n", table, table);
	if (policy_is_empty(policy))
		return;
	out_printf(text, "%s {\n", table);
	write_items(text, policy);
	write_port_set(text, policy);
	for (size_t i = 0; i < policy->count; i++)
		write_sets(text, &policy->rules[i], i);
	for (size_t i = 0; i < ARRAY_SIZE(chains); i++) {
		write_rules(text, policy, &chains[i]);
		out_printf(text, "chain %s {\ntype filter hook %s priority mangle;\n",
			   chains[i].name, chains[i].hook);
		out_printf(text, POLICY_IS_SYN " " POLICY_HAS_OPTION " jump %s_rules\n}\n",
			   chains[i].name);
	}
	out_str(text, "}\n");
}

/* ---- read back ---- */

static const char *text_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static uint64_t packets(json_t *rule)
{
	json_t *statement;
	size_t i;

	json_array_foreach(json_object_get(rule, "expr"), i, statement) {
		json_t *counter = json_object_get(statement, "counter");

		if (counter)
			return (uint64_t)json_integer_value(json_object_get(counter, "packets"));
	}
	return 0;
}

static int read_item(struct policy *policy, const char *comment, uint64_t hits)
{
	(void)hits;
	return policy_add(policy, comment);
}

static int read_counter(struct policy *policy, const char *comment, uint64_t hits)
{
	char *end;
	size_t number = strtoul(comment, &end, 10);

	if (!strcmp(comment, "ports"))
		policy->port_hits += hits;
	else if (end == comment || number >= policy->count || (*end && strcmp(end, " others")))
		return -EPROTO;
	else if (*end)
		policy->rules[number].others += hits;
	else
		policy->rules[number].hits += hits;
	return 0;
}

/* Read the comments of all rules in the chain of lines, or of those in other chains. */
static int read_rules(struct policy *policy, json_t *objects, bool is_lines,
		      int (*read)(struct policy *policy, const char *comment, uint64_t hits))
{
	json_t *object;
	int ret = 0;
	size_t i;

	json_array_foreach(objects, i, object) {
		json_t *rule = json_object_get(object, "rule");
		const char *comment = text_of(rule, "comment");

		if (!ret && *comment && !strcmp(text_of(rule, "chain"), LINES) == is_lines)
			ret = read(policy, comment, packets(rule));
	}
	return ret;
}

int policy_nft_parse(struct policy *policy, const char *json)
{
	json_t *doc = json_loads(json, 0, NULL), *objects = json_object_get(doc, "nftables");
	int ret = objects ? read_rules(policy, objects, true, read_item) : -EPROTO;

	if (!ret && !policy_is_empty(policy))
		ret = read_rules(policy, objects, false, read_counter);
	json_decref(doc);
	return ret;
}
