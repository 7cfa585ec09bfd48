// SPDX-License-Identifier: MIT
/* A policy as JSON. */
#include "policy_json.h"

#include "out/table.h"

static json_t *nets_json(const struct netaddr *nets, size_t count)
{
	json_t *array = json_array();
	char text[NETADDR_TEXT_SIZE];

	for (size_t i = 0; i < count; i++) {
		netaddr_short(text, &nets[i]);
		json_array_append_new(array, json_string(text));
	}
	return array;
}

static json_t *rule_json(const struct policy_rule *rule)
{
	json_t *object = json_pack("{s:s, s:s}", "action", policy_action_name(rule->action),
				   "direction", policy_side_name(rule->side));

	if (rule->ports.low) {
		json_object_set_new(object, "first_port", json_integer(rule->ports.low));
		json_object_set_new(object, "last_port", json_integer(rule->ports.high));
	}
	json_object_set_new(object, "networks", nets_json(rule->nets, rule->count));
	json_object_set_new(object, "hits", out_json_number(rule->hits));
	if (rule->action == POLICY_ALLOW)
		json_object_set_new(object, "others_denied", out_json_number(rule->others));
	return object;
}

static void ports_json(json_t *object, const struct policy *policy)
{
	json_t *array = json_array();

	for (size_t i = 0; i < policy->port_count; i++)
		json_array_append_new(array, json_pack("{s:i, s:i}", "first", policy->ports[i].low,
						       "last", policy->ports[i].high));
	json_object_set_new(object, "denied_ports", array);
	json_object_set_new(object, "denied_ports_hits", out_json_number(policy->port_hits));
}

json_t *policy_json(const struct policy *policy)
{
	json_t *object = json_object(), *rules = json_array();

	if (policy->by)
		json_object_set_new(object, "by", json_string(policy_by_name(policy->by)));
	if (policy->for_later)
		json_object_set_new(object, "for_later", json_true());
	if (policy->learn) {
		json_object_set_new(object, "learn", json_integer(policy->learn));
		json_object_set_new(object, "learned",
				    nets_json(policy->learned, policy->learned_count));
	}
	if (policy->port_count)
		ports_json(object, policy);
	for (size_t i = 0; i < policy->count; i++)
		json_array_append_new(rules, rule_json(&policy->rules[i]));
	json_object_set_new(object, "rules", rules);
	return object;
}
