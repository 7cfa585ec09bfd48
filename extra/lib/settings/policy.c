// SPDX-License-Identifier: MIT
/* Rules of a policy: canonical form. */
#include "settings/policy.h"

#include <sys/socket.h>

#include "base/array.h"

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

/* A network sorts before the networks it contains. */
static int compare_nets(const void *a, const void *b)
{
	const struct netaddr *one = a, *other = b;
	int ret;

	if (one->family != other->family)
		return one->family - other->family;
	ret = memcmp(one->bytes, other->bytes, sizeof(one->bytes));
	return ret ? ret : (int)one->prefix - (int)other->prefix;
}

/* True for the two halves of one network, in order. */
static bool are_halves(const struct netaddr *low, const struct netaddr *high)
{
	unsigned int bit = low->prefix - 1;
	struct netaddr whole = *low;

	if (!low->prefix || low->prefix != high->prefix || low->bytes[bit / 8] & 0x80 >> bit % 8)
		return false;
	whole.prefix--;
	return netaddr_covers(&whole, high);
}

static void settle_nets(struct netaddr *nets, size_t *count)
{
	size_t kept = 0;

	qsort(nets, *count, sizeof(*nets), compare_nets);
	for (size_t i = 0; i < *count; i++) {
		if (kept && netaddr_covers(&nets[kept - 1], &nets[i]))
			continue;
		nets[kept++] = nets[i];
		while (kept > 1 && are_halves(&nets[kept - 2], &nets[kept - 1]))
			nets[--kept - 1].prefix--;
	}
	*count = kept;
}

static void settle_ports(struct policy *policy)
{
	size_t kept = 0;

	qsort(policy->ports, policy->port_count, sizeof(*policy->ports), compare_ports);
	for (size_t i = 0; i < policy->port_count; i++) {
		struct policy_range *last = &policy->ports[kept ? kept - 1 : 0];
		struct policy_range ports = policy->ports[i];

		if (!kept || ports.low > last->high + 1)
			policy->ports[kept++] = ports;
		else if (ports.high > last->high)
			last->high = ports.high;
	}
	policy->port_count = kept;
}

void policy_settle(struct policy *policy)
{
	for (size_t i = 0; i < policy->count; i++)
		if (policy->rules[i].count)
			settle_nets(policy->rules[i].nets, &policy->rules[i].count);
	if (policy->count)
		qsort(policy->rules, policy->count, sizeof(*policy->rules), compare_rules);
	if (policy->port_count)
		settle_ports(policy);
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
