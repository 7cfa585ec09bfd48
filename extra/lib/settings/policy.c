// SPDX-License-Identifier: MIT
/* Rules for peers: parse, sort, write and compare lines. */
#include "settings/policy.h"

#include <sys/socket.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/scan.h"
#include "base/words.h"

#define MAPPED_BITS 96 /* prefix of an IPv4-mapped IPv6 address, RFC 4291 2.5.5.2 */

struct policy_rule *policy_rule(struct policy *policy, enum policy_action action,
				enum policy_side side, struct policy_range ports)
{
	struct policy_rule *rule;

	for (size_t i = 0; i < policy->count; i++) {
		rule = &policy->rules[i];
		if (rule->action == action && rule->side == side && rule->ports.low == ports.low &&
		    rule->ports.high == ports.high)
			return rule;
	}
	rule = smc_array_add(&policy->rules, &policy->count);
	*rule = (struct policy_rule){ .action = action, .side = side, .ports = ports };
	return rule;
}

static int compare_ports(const void *a, const void *b)
{
	const struct policy_range *one = a, *other = b;

	return one->low != other->low ? one->low - other->low : one->high - other->high;
}

static int compare_rules(const void *a, const void *b)
{
	const struct policy_rule *one = a, *other = b;

	if (one->action != other->action)
		return (int)one->action - (int)other->action;
	if (one->side != other->side)
		return (int)one->side - (int)other->side;
	return compare_ports(&one->ports, &other->ports);
}

static int compare_nets(const void *a, const void *b)
{
	const struct netaddr *one = a, *other = b;
	int ret;

	if (one->family != other->family)
		return one->family - other->family;
	ret = memcmp(one->bytes, other->bytes, sizeof(one->bytes));
	return ret ? ret : (int)one->prefix - (int)other->prefix;
}

/* Sort, and drop repeated items. Return: number of items left */
static size_t sort(void *items, size_t count, size_t size,
		   int (*compare)(const void *, const void *))
{
	char *all = items;
	size_t kept = 0;

	if (count)
		qsort(items, count, size, compare);
	for (size_t i = 0; i < count; i++)
		if (!kept || compare(&all[(kept - 1) * size], &all[i * size]))
			memmove(&all[kept++ * size], &all[i * size], size);
	return kept;
}

void policy_settle(struct policy *policy)
{
	for (size_t i = 0; i < policy->count; i++)
		policy->rules[i].count = sort(policy->rules[i].nets, policy->rules[i].count,
					      sizeof(*policy->rules[i].nets), compare_nets);
	sort(policy->rules, policy->count, sizeof(*policy->rules), compare_rules);
	policy->port_count =
		sort(policy->ports, policy->port_count, sizeof(*policy->ports), compare_ports);
}

bool policy_is_empty(const struct policy *policy)
{
	return !policy->count && !policy->port_count;
}

void policy_free(struct policy *policy)
{
	for (size_t i = 0; i < policy->count; i++)
		free(policy->rules[i].nets);
	free(policy->rules);
	free(policy->ports);
	*policy = (struct policy){ 0 };
}

/* ---- parse ---- */

struct item {
	struct netaddr net;
	struct policy_range ports;
};

static int wrong(struct smc_err *err, const char *what)
{
	return smc_err_say(err, EINVAL, "%s", what);
}

static bool is_mapped(const struct netaddr *net)
{
	static const uint8_t prefix[12] = { [10] = 0xff, 0xff };

	return net->family == AF_INET6 && net->prefix >= MAPPED_BITS &&
	       !memcmp(net->bytes, prefix, sizeof(prefix));
}

/* Host bits must be zero. Return: 0, -EINVAL with the correct network */
static int check_bits(const struct netaddr *net, struct smc_err *err)
{
	char text[NETADDR_TEXT_SIZE], subnet[NETADDR_TEXT_SIZE];

	netaddr_text(text, net, false);
	netaddr_text(subnet, net, true);
	return strcmp(text, subnet) ?
		       smc_err_say(err, EINVAL, "has host bits set: the network is %s", subnet) :
		       0;
}

static int take_item(const char *word, struct item *item, struct smc_err *err)
{
	bool is_bracketed = *word == '[';

	*item = (struct item){ .ports = { 0, UINT16_MAX } };
	if (!scan_net(&word, &item->net.family, item->net.bytes, &item->net.prefix))
		goto wrong;
	if (*word == ':' && (is_bracketed || item->net.family == AF_INET)) {
		word++;
		if (!scan_ports(&word, &item->ports.low, &item->ports.high) || *word)
			return wrong(
				err,
				"expected a port from 1 to 65535 after the colon, or a range such as 8000-8100");
	}
	if (*word)
		goto wrong;
	if (is_mapped(&item->net))
		return wrong(
			err,
			"expected a plain IPv4 address such as 10.0.0.1, not an IPv4-mapped one");
	return check_bits(&item->net, err);
wrong:
	return wrong(
		err,
		"expected a network such as 10.0.0.0/8, fd00::/8, 10.9.0.7:5432 or [fd00::]/8:5432");
}

static int add_network(struct policy *policy, enum policy_action action, enum policy_side side,
		       const struct item *item, struct smc_err *err)
{
	struct policy_rule *rule = policy_rule(policy, action, side, item->ports);

	if (policy->count > POLICY_RULES_MAX) {
		policy->count--;
		return smc_err_say(
			err, EINVAL,
			"more than %d combinations of allow or deny, to or from, and ports",
			POLICY_RULES_MAX);
	}
	*smc_array_add(&rule->nets, &rule->count) = item->net;
	return 0;
}

/* PORTS, comma-separated. */
static int add_ports(struct policy *policy, const char *word, struct smc_err *err)
{
	struct policy_range ports;

	do {
		if (!scan_ports(&word, &ports.low, &ports.high) || (*word && *word != ','))
			return wrong(err,
				     "expected ports from 1 to 65535 such as 22,443,8000-8100");
		*smc_array_add(&policy->ports, &policy->port_count) = ports;
	} while (*word++);
	return 0;
}

int policy_line(struct policy *policy, const char *const *words, size_t count, size_t *bad,
		struct smc_err *err)
{
	enum policy_action action = *words[0] == 'a' ? POLICY_ALLOW : POLICY_DENY;
	const char *word = count > 1 ? words[1] : "";
	bool is_ports = action == POLICY_DENY && !strcmp(word, "port");
	enum policy_side side = strcmp(word, "to") ? POLICY_BOTH : POLICY_TO;
	struct item item;
	int ret = 0;

	if (!strcmp(word, "from"))
		side = POLICY_FROM;
	*bad = side || is_ports;
	if (count == *bad + 1)
		return wrong(err,
			     is_ports ?
				     "expected ports after it" :
				     "expected networks after it, such as 10.0.0.0/8 or fd00::/8");
	while (!ret && ++*bad < count) {
		ret = is_ports ? add_ports(policy, words[*bad], err) :
				 take_item(words[*bad], &item, err);
		if (!ret && !is_ports)
			ret = add_network(policy, action, side, &item, err);
	}
	return ret;
}

/* ---- write ---- */

const char *policy_action_name(enum policy_action action)
{
	return action == POLICY_DENY ? "deny" : "allow";
}

const char *policy_side_name(enum policy_side side)
{
	if (side == POLICY_TO)
		return "to";
	return side == POLICY_FROM ? "from" : "both";
}

void policy_rule_text(char text[16], const struct policy_rule *rule)
{
	snprintf(text, 16, "%s%s%s", policy_action_name(rule->action), rule->side ? " " : "",
		 rule->side ? policy_side_name(rule->side) : "");
}

static void ports_text(char text[16], struct policy_range ports)
{
	if (ports.low == ports.high)
		snprintf(text, 16, "%u", ports.low);
	else
		snprintf(text, 16, "%u-%u", ports.low, ports.high);
}

static void item_text(char text[POLICY_LINE_SIZE], const struct policy_rule *rule,
		      const struct netaddr *net)
{
	char addr[NETADDR_TEXT_SIZE], ports[16];
	size_t host;

	netaddr_short(addr, net);
	if (!rule->ports.low) {
		snprintf(text, POLICY_LINE_SIZE, "%s", addr);
		return;
	}
	ports_text(ports, rule->ports);
	host = strcspn(addr, "/");
	if (net->family == AF_INET)
		snprintf(text, POLICY_LINE_SIZE, "%s:%s", addr, ports);
	else
		snprintf(text, POLICY_LINE_SIZE, "[%.*s]%s:%s", (int)host, addr, addr + host,
			 ports);
}

void policy_write(struct out_text *text, const struct policy *policy)
{
	char start[16], word[POLICY_LINE_SIZE];

	for (size_t i = 0; i < policy->port_count; i++) {
		ports_text(word, policy->ports[i]);
		out_printf(text, "deny port %s\n", word);
	}
	for_each(rule, policy->rules, policy->count) {
		policy_rule_text(start, rule);
		for_each(net, rule->nets, rule->count) {
			item_text(word, rule, net);
			out_printf(text, "%s %s\n", start, word);
		}
	}
}

/* ---- lines ---- */

struct lines {
	char *copy, **all;
	size_t count;
};

static void split(struct lines *lines, const char *text)
{
	char *line, *next = lines->copy = xstrdup(text);

	while ((line = strsep(&next, "\n")))
		if (*line)
			*smc_array_add(&lines->all, &lines->count) = line;
}

static void lines_free(struct lines *lines)
{
	free(lines->copy);
	free(lines->all);
}

void policy_read(struct policy *policy, const char *lines)
{
	struct lines split_lines AUTO(lines_free) = { 0 };
	char *words[4];
	size_t bad;

	split(&split_lines, lines);
	for (size_t i = 0; i < split_lines.count; i++)
		policy_line(policy, (const char *const *)words,
			    words_split(split_lines.all[i], words, ARRAY_SIZE(words)), &bad, NULL);
	policy_settle(policy);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void policy_diff(const char *now, const char *wanted, policy_line_fn fn, void *arg)
{
	struct lines from AUTO(lines_free) = { 0 }, to AUTO(lines_free) = { 0 };
	size_t i = 0, k = 0;

	split(&from, now);
	split(&to, wanted);
	if (from.count)
		qsort(from.all, from.count, sizeof(*from.all), compare_lines);
	if (to.count)
		qsort(to.all, to.count, sizeof(*to.all), compare_lines);
	while (i < from.count || k < to.count) {
		int order = i == from.count ? 1 : -1;

		if (i < from.count && k < to.count)
			order = compare_lines(&from.all[i], &to.all[k]);
		if (order)
			fn(arg, order < 0 ? '-' : '+', order < 0 ? from.all[i] : to.all[k]);
		i += order <= 0;
		k += order >= 0;
	}
}
