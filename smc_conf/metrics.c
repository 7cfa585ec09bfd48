// SPDX-License-Identifier: MIT
/* smc_conf show --metrics: the counters of policies in Prometheus' text form. */
#include "smc_conf/smc_conf.h"

#include <stdio.h>

#include "out/metrics.h"

#define NAME "smc_policy_syns_total"

static void append_rule(struct out_text *text, const char *netns, const struct policy_rule *rule)
{
	char words[16], ports[16] = "";

	policy_rule_text(words, rule);
	if (rule->ports.low || rule->ports.high != UINT16_MAX)
		snprintf(ports, sizeof(ports), "%u-%u", rule->ports.low, rule->ports.high);
	metrics_sample(text, NAME, rule->hits, "netns", netns, "rule", words, "ports",
		       ports[0] ? ports : NULL, "result",
		       rule->action == POLICY_ALLOW ? "allowed" : "denied", NULL);
	if (rule->action == POLICY_ALLOW)
		metrics_sample(text, NAME, rule->others, "netns", netns, "rule", words, "ports",
			       ports[0] ? ports : NULL, "result", "denied", NULL);
}

int sc_print_metrics(const struct sc_host *host, struct smc_err *err)
{
	static const char learned[] = "smc_policy_learned_peers";
	struct out_text text = { 0 };
	int ret;

	metrics_head(&text, NAME, "counter", "Handshakes that rules of a policy decided about.");
	for (size_t at = 0; at < host->n_netns; at++) {
		const struct policy *policy = &host->now.sections[at].policy;
		const char *netns = host->netns[at].name;

		for (size_t i = 0; i < policy->count; i++)
			append_rule(&text, netns, &policy->rules[i]);
		if (policy->port_count)
			metrics_sample(&text, NAME, policy->port_hits, "netns", netns, "rule",
				       "deny port", "result", "denied", NULL);
	}
	metrics_head(&text, learned, "gauge", "Peers that are denied as they broke handshakes.");
	for (size_t at = 0; at < host->n_netns; at++)
		metrics_sample(&text, learned, host->now.sections[at].policy.learned_count, "netns",
			       host->netns[at].name, NULL);
	out_str(&text, "# EOF\n");
	ret = out_print(&text, err);
	out_free(&text);
	return ret;
}
