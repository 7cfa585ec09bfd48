// SPDX-License-Identifier: MIT
/* The table of a policy: script for nft(8), and JSON from libnftables as in libnftables-json(5). */
#include "settings/nft.h"

#include <jansson.h>

#include "base/array.h"

/* Match SMC's magic, so other users of option 254 are left alone. <net/tcp.h> */
#define HAS_OPTION "tcp option @254,16,32 0xe2d4c3d9"
#define REMOVE_OPTION "counter reset tcp option 254 return"
#define IS_SYN "tcp flags & (fin|syn|rst|ack) == syn"

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
	char net[NETADDR_TEXT_SIZE];

	for_each(family, families, ARRAY_SIZE(families)) {
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

/* The comment identifies the rule for readers of the table. */
static void write_rule(struct out_text *text, const struct policy_rule *rule, size_t number,
		       const struct chain *chain)
{
	char what[16];

	policy_rule_text(what, rule);
	for_each(family, families, ARRAY_SIZE(families)) {
		if (!has_family(rule, family))
			continue;
		out_printf(text, "%s %s @r%zuv%s ", family->name, chain->addr, number, family->set);
		write_ports(text, rule);
		out_printf(text, "%s comment \"%zu %u-%u %s\"\n",
			   rule->action == POLICY_DENY ? REMOVE_OPTION : "counter return", number,
			   rule->ports.low, rule->ports.high, what);
	}
}

/* Denied networks come first, then allowed ones, then everybody else. */
static void write_rules(struct out_text *text, const struct policy *policy,
			const struct chain *chain)
{
	out_printf(text, "chain %s_rules {\n", chain->name);
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

void policy_nft_script(struct out_text *text, const struct policy *policy)
{
	static const char table[] = "table inet " POLICY_TABLE;

	/* Deleting a missing table would be an error. */
	out_printf(text, "add %s\ndelete %s\n", table, table);
	if (policy_is_empty(policy))
		return;
	out_printf(text, "%s {\n", table);
	write_port_set(text, policy);
	for (size_t i = 0; i < policy->count; i++)
		write_sets(text, &policy->rules[i], i);
	for (size_t i = 0; i < ARRAY_SIZE(chains); i++) {
		write_rules(text, policy, &chains[i]);
		out_printf(text, "chain %s {\ntype filter hook %s priority mangle;\n",
			   chains[i].name, chains[i].hook);
		out_printf(text, IS_SYN " " HAS_OPTION " jump %s_rules\n}\n", chains[i].name);
	}
	out_str(text, "}\n");
}

/* ---- read back ---- */

struct reader {
	struct policy *policy;
	size_t places[POLICY_RULES_MAX]; /* index of a rule, by its number in the table */
};

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

static int add_rule(struct reader *reader, const char *comment, uint64_t hits)
{
	char action[8] = "", side[8] = "", after;
	struct policy_rule *rule;
	unsigned int number, low, high;
	int n = sscanf(comment, "%u %5u-%5u %7s %7s%c", &number, &low, &high, action, side, &after);
	enum policy_side which = strcmp(side, "from") ? POLICY_BOTH : POLICY_FROM;

	if (n < 4 || n > 5 || number >= POLICY_RULES_MAX || low > high || high > UINT16_MAX)
		return -EPROTO;
	if (!strcmp(side, "to"))
		which = POLICY_TO;
	rule = policy_rule(reader->policy, strcmp(action, "allow") ? POLICY_DENY : POLICY_ALLOW,
			   which, (struct policy_range){ (uint16_t)low, (uint16_t)high });
	rule->hits += hits;
	reader->places[number] = (size_t)(rule - reader->policy->rules);
	return 0;
}

static int add_others(struct reader *reader, unsigned int number, uint64_t hits)
{
	if (number >= POLICY_RULES_MAX || reader->places[number] >= reader->policy->count)
		return -EPROTO;
	reader->policy->rules[reader->places[number]].others += hits;
	return 0;
}

static int read_rule(struct reader *reader, json_t *rule)
{
	const char *comment = text_of(rule, "comment");
	unsigned int number;
	int end = 0;

	if (!*comment)
		return 0;
	if (!strcmp(comment, "ports")) {
		reader->policy->port_hits += packets(rule);
		return 0;
	}
	if (sscanf(comment, "%u others%n", &number, &end) == 1 && end)
		return add_others(reader, number, packets(rule));
	return add_rule(reader, comment, packets(rule));
}

/* Increment the first @bits bits of @bytes. Return: false on overflow */
static bool step(uint8_t *bytes, unsigned int bits)
{
	for (unsigned int i = bits; i-- > 0;) {
		bytes[i / 8] ^= (uint8_t)(0x80 >> i % 8);
		if (bytes[i / 8] & 0x80 >> i % 8)
			return true;
	}
	return false;
}

static bool ends_within(const struct netaddr *net, const struct netaddr *last)
{
	uint8_t end[16];

	memcpy(end, net->bytes, sizeof(end));
	for (unsigned int bit = net->prefix; bit < (net->family == AF_INET ? 32 : 128); bit++) {
		if (end[bit / 8] & 0x80 >> bit % 8)
			return false;
		end[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
	}
	return memcmp(end, last->bytes, sizeof(end)) <= 0;
}

/* Convert a range back into networks: nftables may merge several into one range. */
static int add_range(struct policy_rule *rule, struct netaddr first, const struct netaddr *last)
{
	if (first.family != last->family || memcmp(first.bytes, last->bytes, 16) > 0)
		return -EPROTO;
	for (;;) {
		struct netaddr net = first;

		while (net.prefix) {
			struct netaddr wider = net;

			wider.prefix--;
			if (!ends_within(&wider, last))
				break;
			net = wider;
		}
		*smc_array_add(&rule->nets, &rule->count) = net;
		if (!step(first.bytes, net.prefix) || memcmp(first.bytes, last->bytes, 16) > 0)
			return 0;
	}
}

static int read_net(struct policy_rule *rule, json_t *elem)
{
	json_t *prefix = json_object_get(elem, "prefix"), *range = json_object_get(elem, "range");
	const char *text = prefix ? text_of(prefix, "addr") : json_string_value(elem);
	struct netaddr net, last;

	if (range) {
		const char *from = json_string_value(json_array_get(range, 0));
		const char *to = json_string_value(json_array_get(range, 1));

		if (!from || !to || !netaddr_host(&net, from) || !netaddr_host(&last, to))
			return -EPROTO;
		return add_range(rule, net, &last);
	}
	if (!text || !netaddr_host(&net, text))
		return -EPROTO;
	if (prefix) {
		json_int_t len = json_integer_value(json_object_get(prefix, "len"));

		if (len < 0 || len > net.prefix)
			return -EPROTO;
		net.prefix = (unsigned int)len;
	}
	*smc_array_add(&rule->nets, &rule->count) = net;
	return 0;
}

static int read_port(struct policy *policy, json_t *elem)
{
	json_t *range = json_object_get(elem, "range");
	json_int_t low = json_integer_value(range ? json_array_get(range, 0) : elem);
	json_int_t high = json_integer_value(range ? json_array_get(range, 1) : elem);
	struct policy_range ports = { (uint16_t)low, (uint16_t)high };

	if (low < 1 || high < low || high > UINT16_MAX)
		return -EPROTO;
	*smc_array_add(&policy->ports, &policy->port_count) = ports;
	return 0;
}

static int read_set(struct reader *reader, json_t *set)
{
	struct policy *policy = reader->policy;
	const char *name = text_of(set, "name");
	struct policy_rule *rule = NULL;
	unsigned int number;
	int ret = 0;
	json_t *elem;
	size_t i;

	if (sscanf(name, "r%uv", &number) == 1 && number < POLICY_RULES_MAX &&
	    reader->places[number] < policy->count)
		rule = &policy->rules[reader->places[number]];
	else if (strcmp(name, "ports"))
		return 0;
	json_array_foreach(json_object_get(set, "elem"), i, elem) {
		ret = rule ? read_net(rule, elem) : read_port(policy, elem);
		if (ret)
			break;
	}
	return ret;
}

static int read_all(struct reader *reader, json_t *objects, const char *kind,
		    int (*read)(struct reader *reader, json_t *object))
{
	json_t *object;
	int ret = 0;
	size_t i;

	json_array_foreach(objects, i, object) {
		json_t *one = json_object_get(object, kind);

		ret = one ? read(reader, one) : 0;
		if (ret)
			break;
	}
	return ret;
}

int policy_nft_parse(struct policy *policy, const char *json)
{
	struct reader reader = { .policy = policy };
	json_t *doc = json_loads(json, 0, NULL), *objects = json_object_get(doc, "nftables");
	int ret = objects ? 0 : -EPROTO;

	for (size_t i = 0; i < POLICY_RULES_MAX; i++)
		reader.places[i] = SIZE_MAX;
	if (!ret)
		ret = read_all(&reader, objects, "rule", read_rule);
	if (!ret)
		ret = read_all(&reader, objects, "set", read_set);
	json_decref(doc);
	policy_settle(policy);
	return ret;
}
