// SPDX-License-Identifier: MIT
/* The table of a policy, as libnftables lists it: a document that libnftables-json(5) describes. */
#include "settings/nft.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <jansson.h>
#include <arpa/inet.h>

#include "base/array.h"

struct reader {
	struct policy *policy;
	size_t places[POLICY_RULES_MAX]; /* of rules, from their numbers in the table */
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
	enum policy_side which;
	int n = sscanf(comment, "%u %5u-%5u %7s %7s%c", &number, &low, &high, action, side, &after);

	if (n < 4 || n > 5 || number >= POLICY_RULES_MAX || low > high || high > UINT16_MAX)
		return -EPROTO;
	which = !strcmp(side, "to") ? POLICY_TO : !strcmp(side, "from") ? POLICY_FROM : POLICY_BOTH;
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

static bool parse_addr(const char *text, struct netaddr *net)
{
	*net = (struct netaddr){ .family = strchr(text, ':') ? AF_INET6 : AF_INET };
	net->prefix = net->family == AF_INET ? 32 : 128;
	return inet_pton(net->family, text, net->bytes) == 1;
}

/* Add one to the number of @bits in @bytes. Return: false when it begins at 0 again */
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

static void add_net(struct netaddr **nets, size_t *count, size_t *size, const struct netaddr *net)
{
	smc_array_append(nets, count, size, net, sizeof(*net));
}

/* Ranges, as which nftables may give several networks back, as networks. */
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
		add_net(&rule->nets, &rule->count, &rule->size, &net);
		if (!step(first.bytes, net.prefix) || memcmp(first.bytes, last->bytes, 16) > 0)
			return 0;
	}
}

static int read_net(struct policy_rule *rule, json_t *elem)
{
	json_t *prefix = json_object_get(elem, "prefix"), *range = json_object_get(elem, "range");
	struct netaddr net, last;

	if (range) {
		const char *from = json_string_value(json_array_get(range, 0));
		const char *to = json_string_value(json_array_get(range, 1));

		if (!from || !to || !parse_addr(from, &net) || !parse_addr(to, &last))
			return -EPROTO;
		return add_range(rule, net, &last);
	}
	if (!parse_addr(prefix			? text_of(prefix, "addr") :
			json_string_value(elem) ? json_string_value(elem) :
						  "",
			&net))
		return -EPROTO;
	if (prefix) {
		json_int_t len = json_integer_value(json_object_get(prefix, "len"));

		if (len < 0 || len > net.prefix)
			return -EPROTO;
		net.prefix = (unsigned int)len;
	}
	add_net(&rule->nets, &rule->count, &rule->size, &net);
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
	smc_array_append(&policy->ports, &policy->port_count, &policy->port_size, &ports,
			 sizeof(ports));
	return 0;
}

static int read_learned(struct policy *policy, json_t *elem)
{
	const char *text = text_of(json_object_get(elem, "elem"), "val");
	struct netaddr net;

	if (!parse_addr(text, &net))
		return -EPROTO;
	add_net(&policy->learned, &policy->learned_count, &policy->learned_size, &net);
	return 0;
}

static int read_set(struct reader *reader, json_t *set)
{
	struct policy *policy = reader->policy;
	const char *name = text_of(set, "name");
	bool is_ports = !strcmp(name, "ports"), is_learned = !strncmp(name, "learned", 7);
	struct policy_rule *rule = NULL;
	unsigned int number;
	int ret = 0;
	json_t *elem;
	size_t i;

	if (is_learned)
		policy->learn = (uint32_t)json_integer_value(json_object_get(set, "timeout"));
	else if (sscanf(name, "r%uv", &number) == 1 && number < POLICY_RULES_MAX &&
		 reader->places[number] < policy->count)
		rule = &policy->rules[reader->places[number]];
	else if (!is_ports)
		return 0;
	json_array_foreach(json_object_get(set, "elem"), i, elem) {
		ret = rule     ? read_net(rule, elem) :
		      is_ports ? read_port(policy, elem) :
				 read_learned(policy, elem);
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
	policy->by = POLICY_BY_NFT;
	policy_settle(policy);
	return ret;
}
