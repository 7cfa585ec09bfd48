// SPDX-License-Identifier: MIT
/* A policy as lines, and as what differs between two. */
#include "settings/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define LINE_WIDTH 80

struct line {
	char text[16 + POLICY_LINE_SIZE];
};

struct lines {
	struct line *all;
	size_t count, size;
};

const char *policy_action_name(enum policy_action action)
{
	return action == POLICY_DENY ? "deny" : "allow";
}

const char *policy_side_name(enum policy_side side)
{
	return side == POLICY_TO ? "to" : side == POLICY_FROM ? "from" : "both";
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

static void learn_text(char text[16], uint32_t seconds)
{
	static const struct {
		char unit;
		uint32_t seconds;
	} units[] = { { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } };
	size_t i = 0;

	while (seconds % units[i].seconds)
		i++;
	snprintf(text, 16, "%u%c", seconds / units[i].seconds, units[i].unit);
}

/* One more word, in a new line that begins with @start where the present one is full. */
static void write_word(struct out_text *text, size_t *line, const char *start, char between,
		       const char *word)
{
	if (*line != text->len && text->len - *line + strlen(word) < LINE_WIDTH) {
		out_char(text, between);
	} else {
		if (*line != text->len)
			out_char(text, '\n');
		*line = text->len;
		out_printf(text, "%s ", start);
	}
	out_str(text, word);
}

static void write_rule(struct out_text *text, const struct policy_rule *rule)
{
	char start[16], word[POLICY_LINE_SIZE];
	size_t line = text->len;

	policy_rule_text(start, rule);
	for (size_t i = 0; i < rule->count; i++) {
		item_text(word, rule, &rule->nets[i]);
		write_word(text, &line, start, ' ', word);
	}
	out_str(text, rule->count ? "\n" : "");
}

static void write_ports(struct out_text *text, const struct policy *policy)
{
	size_t line = text->len;
	char word[16];

	for (size_t i = 0; i < policy->port_count; i++) {
		ports_text(word, policy->ports[i]);
		write_word(text, &line, "deny port", ',', word);
	}
	out_str(text, policy->port_count ? "\n" : "");
}

void policy_write(struct out_text *text, const struct policy *policy)
{
	char learn[16];

	write_ports(text, policy);
	for (size_t i = 0; i < policy->count; i++)
		write_rule(text, &policy->rules[i]);
	if (policy->learn) {
		learn_text(learn, policy->learn);
		out_printf(text, "learn %s\n", learn);
	}
	if (policy->by)
		out_printf(text, "by %s\n", policy_by_name(policy->by));
}

static void add_line(struct lines *lines, const char *start, const char *word)
{
	struct line *line = smc_array_add(&lines->all, &lines->count, &lines->size, sizeof(*line));

	snprintf(line->text, sizeof(line->text), "%s %s", start, word);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *one = a, *other = b;

	return strcmp(one->text, other->text);
}

static void list_rules(struct lines *lines, const struct policy *policy)
{
	char start[16], word[POLICY_LINE_SIZE];

	for (size_t i = 0; i < policy->count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		policy_rule_text(start, rule);
		for (size_t k = 0; k < rule->count; k++) {
			item_text(word, rule, &rule->nets[k]);
			add_line(lines, start, word);
		}
	}
}

static void list_lines(struct lines *lines, const struct policy *policy, bool with_by,
		       bool with_later)
{
	char word[16];

	list_rules(lines, policy);
	if (with_later && policy->for_later && !policy_is_empty(policy))
		add_line(lines, "for", "later namespaces");
	for (size_t i = 0; i < policy->port_count; i++) {
		ports_text(word, policy->ports[i]);
		add_line(lines, "deny port", word);
	}
	if (policy->learn) {
		learn_text(word, policy->learn);
		add_line(lines, "learn", word);
	}
	if (policy->by && with_by)
		add_line(lines, "by", policy_by_name(policy->by));
	if (lines->count)
		qsort(lines->all, lines->count, sizeof(*lines->all), compare_lines);
}

static int compare_lists(const struct lines *now, const struct lines *wanted, policy_line_fn fn,
			 void *arg)
{
	size_t i = 0, k = 0;
	int ret = 0;

	while (!ret && (i < now->count || k < wanted->count)) {
		int order = i == now->count    ? 1 :
			    k == wanted->count ? -1 :
						 compare_lines(&now->all[i], &wanted->all[k]);

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
	bool with_later = now->by == POLICY_BY_BPF;
	int ret;

	list_lines(&from, now, wanted->by, with_later);
	list_lines(&to, wanted, true, with_later);
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
