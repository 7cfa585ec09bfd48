// SPDX-License-Identifier: MIT
/* Rules for peers: lines to items, items to rules. */
#include "settings/policy.h"

#include <sys/socket.h>

#include "base/array.h"
#include "base/words.h"

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

/* Ports without a network are those of "deny port". */
static int call(policy_item_fn fn, void *arg, const struct policy_rule *rule,
		const struct scan_end *end)
{
	char start[16], word[PEER_TEXT_SIZE], item[POLICY_ITEM_SIZE];

	policy_rule_text(start, rule);
	peer_end_text(word, end);
	snprintf(item, sizeof(item), "%s%s %s", start, end->family ? "" : " port", word);
	return fn(arg, item);
}

int policy_each(const struct policy *policy, policy_item_fn fn, void *arg)
{
	const struct policy_rule deny = { .action = POLICY_DENY };
	int ret = 0;

	for (size_t i = 0; !ret && i < policy->port_count; i++)
		ret = call(fn, arg, &deny, &policy->ports[i]);
	for_each(rule, policy->rules, policy->count) {
		for (size_t i = 0; !ret && i < rule->count; i++) {
			struct scan_end end = rule->nets[i];

			end.low = rule->low;
			end.high = rule->high;
			ret = call(fn, arg, rule, &end);
		}
	}
	return ret;
}

/* ---- lines ---- */

/** struct line - a line in progress; @rule: its action and direction */
struct line {
	struct policy_rule rule;
	policy_item_fn fn;
	void *arg;
	struct smc_err *err;
};

/* Host bits must be zero. */
static int add_network(const struct line *line, const struct scan_end *end)
{
	struct scan_end subnet = *end;
	char text[PEER_TEXT_SIZE];

	for (unsigned int bit = end->bits; bit < 128; bit++)
		subnet.bytes[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	if (!memcmp(subnet.bytes, end->bytes, sizeof(subnet.bytes)))
		return call(line->fn, line->arg, &line->rule, end);
	subnet.low = 0;
	peer_end_text(text, &subnet);
	return smc_err_say(line->err, EINVAL, "has host bits set: the network is %s", text);
}

static int read_network(const struct line *line, const char *word)
{
	struct scan_end end;

	if (scan_end(word, &end) && end.family)
		return add_network(line, &end);
	return smc_err_say(line->err, EINVAL,
			   "expected a network such as 10.0.0.0/8, fd00::/8, 10.9.0.7:5432 or "
			   "[fd00::]/8:5432, with ports from 1 to 65535, or a filter");
}

/* PORTS, comma-separated. */
static int read_ports(const struct line *line, const char *word)
{
	struct scan_end end = { 0 };
	int ret;

	do {
		if (!scan_ports(&word, &end.low, &end.high) || (*word && *word != ','))
			return smc_err_say(
				line->err, EINVAL,
				"expected ports from 1 to 65535 such as 22,443,8000-8100");
		ret = call(line->fn, line->arg, &line->rule, &end);
	} while (!ret && *word++);
	return ret;
}

/* Ports: of connections to the peer, the peer's ports; of connections from it, ours. */
static int add_peer(struct line *line, const struct peer *peer)
{
	const struct scan_end *own = &peer->ends[PEER_LOCAL];
	struct scan_end end = peer->ends[PEER_REMOTE];
	int ret;

	if (own->family)
		return smc_err_say(line->err, EINVAL, "a policy cannot test 'src'");
	if (own->low && end.low)
		return smc_err_say(line->err, EINVAL,
				   "a policy cannot test both 'sport' and 'dport'");
	line->rule.side = end.low ? POLICY_TO : POLICY_BOTH;
	if (own->low) {
		line->rule.side = POLICY_FROM;
		end.low = own->low;
		end.high = own->high;
	}
	if (end.family)
		return add_network(line, &end);
	end.family = AF_INET;
	ret = add_network(line, &end);
	end.family = AF_INET6;
	return ret ? ret : add_network(line, &end);
}

static int read_filter(struct line *line, const char *const *words, size_t count)
{
	struct out_text text AUTO(out_free) = { 0 };
	struct peers peers = { .count = 0 };
	int ret;

	for (size_t i = 0; i < count; i++)
		out_printf(&text, "%s ", words[i]);
	out_char(&text, '\0');
	ret = peers_parse(&peers, text.data, false, line->err);
	for (size_t i = 0; !ret && i < peers.count; i++)
		ret = add_peer(line, &peers.all[i]);
	return ret;
}

int policy_line(const char *const *words, size_t count, size_t *bad, policy_item_fn fn, void *arg,
		struct smc_err *err)
{
	struct line line = { { .action = *words[0] == 'a' }, fn, arg, err };
	const char *word = count > 1 ? words[1] : "";
	bool is_ports = !line.rule.action && !strcmp(word, "port") && count < 4 &&
			(count < 3 || strspn(words[2], "0123456789"));
	int ret = 0;

	if (!strcmp(word, "to") || !strcmp(word, "from"))
		line.rule.side = *word == 't' ? POLICY_TO : POLICY_FROM;
	*bad = line.rule.side || is_ports;
	if (count == *bad + 1)
		return smc_err_say(err, EINVAL, "expected %s after it",
				   is_ports ? "ports" :
					      "networks, such as 10.0.0.0/8 or fd00::/8,");
	if (!*bad && peers_are_filter(word)) {
		*bad = 1;
		return read_filter(&line, words + 1, count - 1);
	}
	while (!ret && ++*bad < count)
		ret = is_ports ? read_ports(&line, words[*bad]) : read_network(&line, words[*bad]);
	return ret;
}

/* ---- items ---- */

static struct policy_rule *find_rule(struct policy *policy, const struct policy_rule *like)
{
	struct policy_rule *rule;

	for (size_t i = 0; i < policy->count; i++) {
		rule = &policy->rules[i];
		if (rule->action == like->action && rule->side == like->side &&
		    rule->low == like->low && rule->high == like->high)
			return rule;
	}
	rule = smc_array_add(&policy->rules, &policy->count);
	*rule = *like;
	return rule;
}

int policy_add(struct policy *policy, const char *item)
{
	char copy[POLICY_ITEM_SIZE], *words[4] = { NULL };
	struct policy_rule rule = { 0 }, *found;
	const char *side;
	struct scan_end end;
	size_t count;

	snprintf(copy, sizeof(copy), "%s", item);
	count = words_split(copy, words, ARRAY_SIZE(words));
	side = count == 3 ? words[1] : "";
	if (count < 2 || count > 3 || !words_have("allow deny", words[0]) ||
	    (*side && !words_have("to from port", side)) || !scan_end(words[count - 1], &end) ||
	    !end.family != (*side == 'p'))
		return -EPROTO;
	if (*side == 'p') {
		*smc_array_add(&policy->ports, &policy->port_count) = end;
		return 0;
	}
	rule.action = *words[0] == 'a' ? POLICY_ALLOW : POLICY_DENY;
	if (*side)
		rule.side = *side == 't' ? POLICY_TO : POLICY_FROM;
	rule.low = end.low;
	rule.high = end.high;
	found = find_rule(policy, &rule);
	end.low = 0;
	end.high = UINT16_MAX;
	*smc_array_add(&found->nets, &found->count) = end;
	return 0;
}
