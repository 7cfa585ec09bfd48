/* SPDX-License-Identifier: MIT */
/* smc_conf: configure SMC from one file. Functions return 0, or -errno with @err. */
#pragma once

#include <jansson.h>

#include "cli/cli.h"
#include "settings/settings.h"

/* ---- show_policy.c ---- */

/** sc_policy_text() - append the current policy and its counters as text */
void sc_policy_text(struct out_text *text, const struct settings *host, size_t at);

/**
 * policy_json() - the policy read from the kernel, with counters
 *
 * {"denied_ports": [{"first", "last"}], "denied_ports_hits",
 * "rules": [{"action", "direction": "both" | "to" | "from", "first_port", "last_port",
 * "networks": ["10.0.0.0/8"], "hits", "others_denied"}]}. Unused members are absent.
 */
json_t *policy_json(const struct policy *policy);

/** sc_print_metrics() - print the counters in Prometheus' text form */
int sc_print_metrics(const struct settings *host, struct smc_err *err);

/* ---- watch_cgroups.c ---- */

/**
 * sc_watch() - attach the scopes of a file to control groups, also to those created later
 *
 * Scopes are attached again each time that a group is recreated. Later errors go to standard error.
 * Return: 0 if the file has no scopes; otherwise it only returns on error.
 */
int sc_watch(struct settings *host, const struct conf *file, const struct cli_tool *tool,
	     struct smc_err *err);

/* ---- keep_settings.c ---- */

/** sc_keep() - write settings as the default file, applied at each boot; rename an existing one */
int sc_keep(const struct conf *now, const struct cli_tool *tool, struct smc_err *err);

/* ---- print.c ---- */

/** sc_export() - append settings in the format of the file */
void sc_export(struct out_text *text, const struct conf *conf);

/** sc_print_export() - print settings; as JSON, like the document of diff, without the change */
int sc_print_export(const struct conf *conf, bool is_json, struct smc_err *err);

int sc_print_changes(const struct settings *host, bool is_json, struct smc_err *err);

int sc_print_state(const struct settings *host, bool is_json, struct smc_err *err);
