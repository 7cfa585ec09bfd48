/* SPDX-License-Identifier: MIT */
/*
 * Rules of an eBPF scope, which are those of smc_bpf: "only ipv4 user redis exclude-comm sshd". As
 * the value of a setting they have one order, so that they can be compared. Pure.
 */
#pragma once

#include "cgroup/scope.h"
#include "settings/conf.h"

/** struct conf_scope - @comms: sorted; NULL where there is no such rule */
struct conf_scope {
	const char *only, *user, *comms[SCOPE_COMMS];
};

/** conf_scope_rule() - take one rule, whose strings must stay. Return: 0, -EINVAL with @err */
int conf_scope_rule(struct conf_scope *scope, const char *rule, const char *value,
		    struct smc_err *err);

/** conf_scope_text() - append the rules as words of a line */
void conf_scope_text(struct out_text *text, const struct conf_scope *scope);

/**
 * conf_scope_line() - "scope PATH [RULE VALUE]..."
 * @bad: receives the index of the word that is wrong; @count for one that is missing
 * @path: receives that of the control group, a part of @words
 * @rules: receives the rules, with a NUL behind them; to be freed in any case
 *
 * Return: 0, -EINVAL with what was expected.
 */
int conf_scope_line(char *const *words, size_t count, size_t *bad, const char **path,
		    struct out_text *rules, struct smc_err *err);
