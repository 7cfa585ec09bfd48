/* SPDX-License-Identifier: MIT */
/* smc_conf: configure SMC from one file. Functions return 0, or -errno with @err. */
#pragma once

#include <jansson.h>

#include "cli/cli.h"
#include "net/pairing.h"
#include "settings/conf_files.h"
#include "settings/eids.h"
#include "settings/pnet_table.h"
#include "smc_conf/conf.h"

/**
 * struct sc_netns - current state of a network namespace
 * @name: "" for the caller's, which comes first
 * @table: the PNET table that the namespace sees; @world: its devices
 * @exclusive: kinds of settings that are exclusive in the file
 * @wants: section with its policy; NULL for none
 * @policy: change of its policy, of kind CONF_POLICY
 */
struct sc_netns {
	char *name;
	struct smc_pnet_table table;
	struct pnet_world world;
	uint32_t exclusive;
	const struct conf_section *wants;
	struct conf_item policy;
};

/** struct sc_change - from one value to another; one of them may be NULL */
struct sc_change {
	const struct conf_item *old, *new;
	size_t netns;
};

/**
 * struct sc_host - current and wanted settings
 * @is_one: only one namespace was requested
 * @first: index in @netns of the requested one: 1 if it is not the caller's
 * @now, @wanted: sections are indexes of @netns. PNET IDs in @wanted belong to net devices by name,
 *	or to RDMA and ISM devices. Sections of @now have the current policy
 * @waiting: settings for missing devices and namespaces; sections as in the file
 * @changes: in the order that the kernel requires
 */
struct sc_host {
	struct sc_netns *netns;
	size_t n_netns, first;
	bool is_one;
	struct conf now, wanted, waiting;
	struct sc_change *changes;
	size_t n_changes;
};

/* ---- state.c ---- */

/**
 * sc_host_read() - read the state of the kernel
 * @file: NULL to read only PNET table and sysctls of the caller's namespace
 * @all: read all named network namespaces; else those in @file
 * @note: receives warnings about unreadable namespaces; only with @all
 */
int sc_host_read(struct sc_host *host, const struct conf *file, bool all,
		 const struct cli_tool *note, struct smc_err *err);

/**
 * sc_host_read_netns() - as sc_host_read(), for one namespace
 * @netns: as in smc_netns_enter(); named namespaces keep the name, the caller's is ""
 */
int sc_host_read_netns(struct sc_host *host, const struct conf *file, const char *netns,
		       struct smc_err *err);

void sc_host_free(struct sc_host *host);

/** sc_is_normal() - true if the value is the kernel's default */
bool sc_is_normal(const struct conf_item *item);

/** sc_normal() - the kernel's default, NULL for none: then the setting is removed */
const char *sc_normal(const struct conf_item *item);

/* ---- wanted.c, changes.c ---- */

/** sc_want() - compute @wanted and @waiting from a file */
int sc_want(struct sc_host *host, const struct conf *file, struct smc_err *err);

/**
 * sc_changes_make() - compute the changes from @now to @wanted
 *
 * Return: -EOPNOTSUPP for settings that kernel or machine do not support.
 */
int sc_changes_make(struct sc_host *host, struct smc_err *err);

/* ---- show_policy.c: @at is the index of a namespace ---- */

/** sc_policy_read() - read the caller's current policy, unless the host is a record */
int sc_policy_read(struct sc_host *host, size_t at, struct smc_err *err);

/** sc_policy_wanted() - policy in the file; NULL to keep the current one */
const struct policy *sc_policy_wanted(const struct sc_netns *netns);

/** sc_policy_differs() - true if the policy needs a change */
bool sc_policy_differs(const struct sc_host *host, size_t at);

/** sc_policy_set() - set the wanted policy; with @is_back, the previous one */
int sc_policy_set(const struct sc_host *host, size_t at, bool is_back, struct smc_err *err);

/** sc_policy_text() - append the current policy and its counters as text */
void sc_policy_text(struct out_text *text, const struct sc_host *host, size_t at);

/**
 * policy_json() - the policy read from the kernel, with counters
 *
 * {"denied_ports": [{"first", "last"}], "denied_ports_hits",
 * "rules": [{"action", "direction": "both" | "to" | "from", "first_port", "last_port",
 * "networks": ["10.0.0.0/8"], "hits", "others_denied"}]}. Unused members are absent.
 */
json_t *policy_json(const struct policy *policy);

/** sc_print_metrics() - print the counters in Prometheus' text form */
int sc_print_metrics(const struct sc_host *host, struct smc_err *err);

/* ---- scopes.c ---- */

/** sc_scopes_read() - add the scopes of this host to @now */
int sc_scopes_read(struct sc_host *host, struct smc_err *err);

/** sc_scope_is_there() - true if the control group exists. For a record: always true */
bool sc_scope_is_there(const char *path);

/** sc_scope_user() - replace user names in the rules with numbers, in @conf, except for a record */
int sc_scope_user(struct conf *conf, struct conf_item *item, struct smc_err *err);

/** sc_scope_set() - attach @to; if it is NULL, detach @from */
int sc_scope_set(const struct conf_item *to, const struct conf_item *from, struct smc_err *err);

/* ---- watch_cgroups.c ---- */

/**
 * sc_watch() - attach the scopes of a file to control groups, also to those created later
 *
 * Scopes are attached again each time that a group is recreated. Later errors go to standard error.
 * Return: 0 if the file has no scopes; otherwise it only returns on error.
 */
int sc_watch(const struct conf *file, const struct cli_tool *tool, struct smc_err *err);

/* ---- apply.c ---- */

/** sc_apply() - apply all @changes, or none */
int sc_apply(struct sc_host *host, struct smc_err *err);

/**
 * sc_apply_device() - set the PNET IDs of a device that was just named
 *
 * Its entry is removed and added again: the kernel binds it to the device that has the name now.
 */
int sc_apply_device(struct sc_host *host, const char *device, struct smc_err *err);

/* ---- keep_settings.c ---- */

/** sc_keep() - write settings as the default file, applied at each boot; rename an existing one */
int sc_keep(const struct conf *now, const struct cli_tool *tool, struct smc_err *err);

/* ---- json.c ---- */

/**
 * sc_json() - settings as a document of schema smc_conf/conf.schema.json
 *
 * Strings are escaped as words in the file: \x41, in JSON "\\x41".
 */
json_t *sc_json(const struct conf *conf);

/* ---- print.c ---- */

/** sc_export() - append settings in the format of the file */
void sc_export(struct out_text *text, const struct conf *conf);

int sc_print_export(const struct conf *conf, bool is_json, struct smc_err *err);

int sc_print_changes(const struct sc_host *host, bool is_json, struct smc_err *err);

int sc_print_state(const struct sc_host *host, const struct conf *file, bool is_json,
		   struct smc_err *err);
