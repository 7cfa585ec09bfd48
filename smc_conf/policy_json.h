/* SPDX-License-Identifier: MIT */
#pragma once

#include <jansson.h>

#include "settings/policy.h"

/**
 * policy_json() - as an object, with counters and what was learned
 * @policy: as it was read from the kernel
 *
 * {"by": "nft", "for_later": true, "learn": 86400, "learned": ["10.0.0.1"],
 * "denied_ports": [{"first", "last"}],
 * "denied_ports_hits", "rules": [{"action", "direction": "both" | "to" | "from", "first_port",
 * "last_port", "networks": ["10.0.0.0/8"], "hits", "others_denied"}]}. What does not apply is
 * absent.
 *
 * Return: NULL without memory.
 */
json_t *policy_json(const struct policy *policy);
