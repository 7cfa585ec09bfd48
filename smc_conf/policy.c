// SPDX-License-Identifier: MIT
/* With whom: the policy of each namespace. */
#include "smc_conf/smc_conf.h"

#include <errno.h>
#include <inttypes.h>

#include "host/record.h"
#include "settings/enforce.h"

static const struct policy none;

int sc_policy_read(struct sc_host *host, size_t at, struct smc_err *err)
{
	int ret = record_root() ? 0 : policy_read(&host->now.sections[at].policy, err);

	return ret == -ESTALE ? 0 : ret;
}

bool sc_policy_is_unread(const struct sc_host *host, size_t at)
{
	const struct policy *policy = &host->now.sections[at].policy;

	return policy->by == POLICY_BY_BPF && policy_is_empty(policy);
}

const struct policy *sc_policy_wanted(const struct sc_netns *netns)
{
	if (netns->wants)
		return &netns->wants->policy;
	return netns->exclusive & 1U << CONF_POLICY ? &none : NULL;
}

bool sc_policy_differs(const struct sc_host *host, size_t at)
{
	const struct policy *wanted = sc_policy_wanted(&host->netns[at]);

	if (wanted && sc_policy_is_unread(host, at))
		return 1;
	return wanted && policy_differs(&host->now.sections[at].policy, wanted);
}

int sc_policy_set(const struct sc_host *host, size_t at, bool is_back, struct smc_err *err)
{
	if (is_back && sc_policy_is_unread(host, at))
		return smc_err_say(err, ESTALE, "the policy that was inherited cannot be had back");
	return policy_apply(is_back ? &host->now.sections[at].policy :
				      sc_policy_wanted(&host->netns[at]),
			    NULL, err);
}

static void append_rule(struct out_text *text, const struct policy_rule *rule)
{
	char what[16];

	policy_rule_text(what, rule);
	out_printf(text, "  %s: %zu networks", what, rule->count);
	if (rule->ports.low || rule->ports.high != UINT16_MAX)
		out_printf(text, ", ports %u to %u", rule->ports.low, rule->ports.high);
	out_printf(text, ", decided %" PRIu64, rule->hits);
	if (rule->action == POLICY_ALLOW)
		out_printf(text, ", others denied %" PRIu64, rule->others);
	out_char(text, '\n');
}

void sc_policy_text(struct out_text *text, const struct sc_host *host, size_t at)
{
	const struct policy *policy = &host->now.sections[at].policy;
	char address[NETADDR_TEXT_SIZE];

	if (!policy->by)
		return;
	out_printf(text, "\nPolicy%s", at ? " of network namespace " : "");
	out_escaped(text, host->netns[at].name, SIZE_MAX);
	out_printf(text, ", by %s%s:\n", policy_by_name(policy->by),
		   policy->for_later ? ", also in namespaces that are made later" : "");
	if (sc_policy_is_unread(host, at))
		out_str(text, "  inherited, cannot be read: 'smc_conf apply' replaces it\n");
	for (size_t i = 0; i < policy->count; i++)
		append_rule(text, &policy->rules[i]);
	if (policy->port_count)
		out_printf(text, "  deny port: decided %" PRIu64 "\n", policy->port_hits);
	for (size_t i = 0; i < policy->learned_count; i++) {
		netaddr_text(address, &policy->learned[i], false);
		out_printf(text, "  learned: %s\n", address);
	}
}
