// SPDX-License-Identifier: MIT
/* The policy of each namespace, with counters as text, JSON and metrics. */
#include "smc_conf/smc_conf.h"

#include "base/words.h"
#include "out/metrics.h"
#include "out/table.h"

#define METRIC "smc_policy_syns_total"

/* ---- text ---- */

static void append_rule(struct out_text *text, const struct policy_rule *rule)
{
	char what[16];

	policy_rule_text(what, rule);
	out_printf(text, "  %s: %zu network%s", what, rule->count, plural_s(rule->count));
	if (rule->low && rule->low == rule->high)
		out_printf(text, ", port %u", rule->low);
	else if (rule->low)
		out_printf(text, ", ports %u to %u", rule->low, rule->high);
	out_printf(text, ", %" PRIu64 " matched", rule->hits);
	if (rule->action == POLICY_ALLOW)
		out_printf(text, ", %" PRIu64 " other%s denied", rule->others,
			   plural_s(rule->others));
	out_char(text, '\n');
}

void sc_policy_text(struct out_text *text, const struct settings *host, size_t at)
{
	const struct policy *policy = &host->netns[at].policy;

	if (policy_is_empty(policy))
		return;
	out_printf(text, "\nPolicy%s", at ? " of network namespace " : "");
	out_escaped(text, host->netns[at].name, SIZE_MAX);
	out_str(text, ":\n");
	for (size_t i = 0; i < policy->count; i++)
		append_rule(text, &policy->rules[i]);
	if (policy->port_count)
		out_printf(text, "  deny port: %" PRIu64 " matched\n", policy->port_hits);
}

/* ---- JSON ---- */

static json_t *nets_json(const struct scan_end *nets, size_t count)
{
	json_t *array = json_array();
	char text[PEER_TEXT_SIZE];

	for (size_t i = 0; i < count; i++) {
		peer_end_text(text, &nets[i]);
		json_array_append_new(array, json_string(text));
	}
	return array;
}

static json_t *rule_json(const struct policy_rule *rule)
{
	json_t *json = json_pack("{s:s, s:s}", "action", policy_action_name(rule->action),
				 "direction", policy_side_name(rule->side));

	if (rule->low)
		out_json_merge(json, json_pack("{s:i, s:i}", "first_port", rule->low, "last_port",
					       rule->high));
	json_object_set_new(json, "networks", nets_json(rule->nets, rule->count));
	json_object_set_new(json, "hits", out_json_number(rule->hits));
	if (rule->action == POLICY_ALLOW)
		json_object_set_new(json, "others_denied", out_json_number(rule->others));
	return json;
}

json_t *policy_json(const struct policy *policy)
{
	json_t *ports = policy->port_count ? json_array() : NULL, *rules = json_array();

	for (size_t i = 0; i < policy->port_count; i++)
		json_array_append_new(ports, json_pack("{s:i, s:i}", "first", policy->ports[i].low,
						       "last", policy->ports[i].high));
	for (size_t i = 0; i < policy->count; i++)
		json_array_append_new(rules, rule_json(&policy->rules[i]));
	return json_pack("{s:o*, s:o*, s:o}", "denied_ports", ports, "denied_ports_hits",
			 ports ? out_json_number(policy->port_hits) : NULL, "rules", rules);
}

/* ---- metrics ---- */

static void append_samples(struct out_text *text, const char *netns, const struct policy_rule *rule)
{
	bool is_allow = rule->action == POLICY_ALLOW;
	char words[16], range[16];
	const char *ports = rule->low ? range : NULL;

	policy_rule_text(words, rule);
	snprintf(range, sizeof(range), "%u-%u", rule->low, rule->high);
	metrics_sample(text, METRIC, rule->hits, "netns", netns, "rule", words, "ports", ports,
		       "result", is_allow ? "allowed" : "denied", NULL);
	if (is_allow)
		metrics_sample(text, METRIC, rule->others, "netns", netns, "rule", words, "ports",
			       ports, "result", "denied", NULL);
}

int sc_print_metrics(const struct settings *host, struct smc_err *err)
{
	struct out_text text = { 0 };

	metrics_head(&text, METRIC, "counter", "Handshakes decided by rules of a policy.");
	for (size_t at = 0; at < host->n_netns; at++) {
		const struct policy *policy = &host->netns[at].policy;
		const char *netns = host->netns[at].name;

		for (size_t i = 0; i < policy->count; i++)
			append_samples(&text, netns, &policy->rules[i]);
		if (policy->port_count)
			metrics_sample(&text, METRIC, policy->port_hits, "netns", netns, "rule",
				       "deny port", "result", "denied", NULL);
	}
	out_str(&text, "# EOF\n");
	return out_finish(&text, err);
}
