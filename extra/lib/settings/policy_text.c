// SPDX-License-Identifier: MIT
/* Lines of a policy: parse, write and compare. */
#include "settings/policy.h"

#include "base/array.h"
#include "base/scan.h"
#include "base/words.h"

#define MAPPED_BITS 96 /* prefix of an IPv4-mapped IPv6 address, RFC 4291 2.5.5.2 */
#define LINE_WIDTH 80

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

static int read_rule(struct policy *policy, enum policy_action action, const char *const *words,
		     size_t count, size_t *bad, struct smc_err *err)
{
	enum policy_side side = POLICY_BOTH;
	bool is_ports = false;
	struct item item;
	int ret = 0;

	if (count > 1 && !strcmp(words[1], "to"))
		side = POLICY_TO;
	else if (count > 1 && !strcmp(words[1], "from"))
		side = POLICY_FROM;
	else if (count > 1 && action == POLICY_DENY && !strcmp(words[1], "port"))
		is_ports = true;
	*bad = side || is_ports;
	if (count == *bad + 1)
		return wrong(err,
			     is_ports ?
				     "expected ports after it" :
				     "expected networks after it, such as 10.0.0.0/8 or fd00::/8");
	while (!ret && ++*bad < count) {
		if (is_ports) {
			ret = add_ports(policy, words[*bad], err);
			continue;
		}
		ret = take_item(words[*bad], &item, err);
		if (!ret)
			ret = add_network(policy, action, side, &item, err);
	}
	return ret;
}

bool policy_is_keyword(const char *word)
{
	return !strcmp(word, "allow") || !strcmp(word, "deny");
}

int policy_line(struct policy *policy, const char *const *words, size_t count, size_t *bad,
		struct smc_err *err)
{
	*bad = 0;
	if (!count || !policy_is_keyword(words[0]))
		return wrong(err, "expected allow or deny");
	return read_rule(policy, *words[0] == 'a' ? POLICY_ALLOW : POLICY_DENY, words, count, bad,
			 err);
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

/**
 * typedef item_fn - takes one network, range of ports or other item
 * @start: beginning of its line; @is_first: of the items that can share a line
 */
typedef void (*item_fn)(void *arg, const char *start, const char *word, bool is_first);

static void each_item(const struct policy *policy, item_fn fn, void *arg)
{
	char start[16], word[POLICY_LINE_SIZE];

	for (size_t i = 0; i < policy->port_count; i++) {
		ports_text(word, policy->ports[i]);
		fn(arg, "deny port", word, !i);
	}
	for_each(rule, policy->rules, policy->count) {
		policy_rule_text(start, rule);
		for (size_t k = 0; k < rule->count; k++) {
			item_text(word, rule, &rule->nets[k]);
			fn(arg, start, word, !k);
		}
	}
}

/** struct writer - @line: start of the current line */
struct writer {
	struct out_text *text;
	size_t line;
};

static void write_item(void *arg, const char *start, const char *word, bool is_first)
{
	struct writer *writer = arg;
	struct out_text *text = writer->text;

	if (!is_first && text->len - writer->line + strlen(word) < LINE_WIDTH) {
		out_char(text, strcmp(start, "deny port") ? ' ' : ',');
	} else {
		if (writer->line != text->len)
			out_char(text, '\n');
		writer->line = text->len;
		out_printf(text, "%s ", start);
	}
	out_str(text, word);
}

void policy_write(struct out_text *text, const struct policy *policy)
{
	struct writer writer = { text, text->len };

	each_item(policy, write_item, &writer);
	if (writer.line != text->len)
		out_char(text, '\n');
}

/* ---- compare ---- */

struct line {
	char text[16 + POLICY_LINE_SIZE];
};

struct lines {
	struct line *all;
	size_t count;
};

static void add_line(void *arg, const char *start, const char *word,
		     bool is_first __attribute__((unused)))
{
	struct lines *lines = arg;
	struct line *line = smc_array_add(&lines->all, &lines->count);

	snprintf(line->text, sizeof(line->text), "%s %s", start, word);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *one = a, *other = b;

	return strcmp(one->text, other->text);
}

static void list_lines(struct lines *lines, const struct policy *policy)
{
	each_item(policy, add_line, lines);
	if (lines->count)
		qsort(lines->all, lines->count, sizeof(*lines->all), compare_lines);
}

static int compare_lists(const struct lines *now, const struct lines *wanted, policy_line_fn fn,
			 void *arg)
{
	size_t i = 0, k = 0;
	int ret = 0;

	while (!ret && (i < now->count || k < wanted->count)) {
		int order = i == now->count ? 1 : -1;

		if (i < now->count && k < wanted->count)
			order = compare_lines(&now->all[i], &wanted->all[k]);
		if (order < 0)
			ret = fn(arg, '-', now->all[i].text);
		else if (order > 0)
			ret = fn(arg, '+', wanted->all[k].text);
		i += order <= 0;
		k += order >= 0;
	}
	return ret;
}

int policy_diff(const struct policy *now, const struct policy *wanted, policy_line_fn fn, void *arg)
{
	struct lines from = { 0 }, to = { 0 };
	int ret;

	list_lines(&from, now);
	list_lines(&to, wanted);
	ret = compare_lists(&from, &to, fn, arg);
	free(from.all);
	free(to.all);
	return ret;
}

static int end_at_first(void *arg, char sign, const char *line)
{
	(void)arg, (void)sign, (void)line;
	return 1;
}

bool policy_differs(const struct policy *now, const struct policy *wanted)
{
	return policy_diff(now, wanted, end_at_first, NULL);
}
