/* SPDX-License-Identifier: MIT */
/* smc_conf: what a host does with SMC, as one file. Functions return 0, or -errno with @err. */
#pragma once

#include <jansson.h>

#include "cli/cli.h"
#include "net/pairing.h"
#include "settings/conf_read.h"
#include "settings/eids.h"
#include "settings/pnet_table.h"

/**
 * struct sc_netns - a network namespace as it is now
 * @name: "" for that of the caller, which comes first
 * @table: the PNET table that the namespace sees
 * @world: its devices
 * @exclusive: of the file, for this namespace
 * @wants: its section with a policy; NULL for none
 * @policy: the change of it, of kind CONF_POLICY
 */
struct sc_netns {
	char *name;
	struct smc_pnet_table table;
	struct pnet_world world;
	uint32_t exclusive;
	const struct conf_section *wants;
	struct conf_item policy;
};

/** struct sc_change - from one value to another; one of both may be NULL */
struct sc_change {
	const struct conf_item *old, *new;
	size_t netns;
};

/**
 * struct sc_host - what is set, and what is to be set
 * @is_one: only one namespace is meant
 * @first: of @netns that is meant: 1 for another one than the caller's
 * @now, @wanted: their sections are indexes of @netns. PNET IDs in @wanted are those of net devices
 *	by name, or of RDMA and ISM devices. Sections of @now have the policy in force
 * @waiting: settings of the file for devices and namespaces that are not there; its sections are
 *	those of the file
 * @changes: what is to be done, in the order in which the kernel takes them
 */
struct sc_host {
	struct sc_netns *netns;
	size_t n_netns, netns_size, first;
	bool is_one;
	struct conf now, wanted, waiting;
	struct sc_change *changes;
	size_t n_changes, changes_size;
};

/* ---- state.c ---- */

/**
 * sc_host_read() - the state of the kernel
 * @file: NULL for the PNET table and numbers of the caller's namespace only
 * @all: of every network namespace that has a name; else of those that @file speaks of
 * @note: is told of a namespace that cannot be looked into; only with @all
 */
int sc_host_read(struct sc_host *host, const struct conf *file, bool all,
		 const struct cli_tool *note, struct smc_err *err);

/**
 * sc_host_read_netns() - the same of one namespace
 * @netns: as for smc_netns_enter(); one that has a name is known by it, the caller's is ""
 */
int sc_host_read_netns(struct sc_host *host, const struct conf *file, const char *netns,
		       struct smc_err *err);

void sc_host_free(struct sc_host *host);

/** sc_is_normal() - is it what the kernel begins with? */
bool sc_is_normal(const struct conf_item *item);

/** sc_normal() - that value, NULL for none: then the setting goes altogether */
const char *sc_normal(const struct conf_item *item);

/* ---- wanted.c, changes.c ---- */

/** sc_want() - make @wanted and @waiting from a file */
int sc_want(struct sc_host *host, const struct conf *file, struct smc_err *err);

/**
 * sc_changes_make() - what must be done for @now to become @wanted
 *
 * Return: -EOPNOTSUPP for what this kernel or machine does not have.
 */
int sc_changes_make(struct sc_host *host, struct smc_err *err);

/* ---- policy.c: of a namespace by its place ---- */

/** sc_policy_read() - what is in force in the caller's, unless the host is a record */
int sc_policy_read(struct sc_host *host, size_t at, struct smc_err *err);

/** sc_policy_is_unread() - was it inherited, and is in force still, but not where it came from? */
bool sc_policy_is_unread(const struct sc_host *host, size_t at);

/** sc_policy_wanted() - of the file; NULL for whatever is in force */
const struct policy *sc_policy_wanted(const struct sc_netns *netns);

/** sc_policy_differs() - must it be changed? */
bool sc_policy_differs(const struct sc_host *host, size_t at);

/** sc_policy_set() - the wanted one, or back */
int sc_policy_set(const struct sc_host *host, size_t at, bool is_back, struct smc_err *err);

/** sc_policy_text() - append what is in force and its counters, for people */
void sc_policy_text(struct out_text *text, const struct sc_host *host, size_t at);

/**
 * policy_json() - what was read from the kernel, with counters and what was learned
 *
 * {"by": "nft", "for_later": true, "learn": 86400, "learned": ["10.0.0.1"],
 * "denied_ports": [{"first", "last"}], "denied_ports_hits",
 * "rules": [{"action", "direction": "both" | "to" | "from", "first_port", "last_port",
 * "networks": ["10.0.0.0/8"], "hits", "others_denied"}]}. What does not apply is absent.
 */
json_t *policy_json(const struct policy *policy);

/** sc_print_metrics() - the counters in Prometheus' text form */
int sc_print_metrics(const struct sc_host *host, struct smc_err *err);

/* ---- scopes.c ---- */

/** sc_scopes_read() - add to @now those of this host */
int sc_scopes_read(struct sc_host *host, struct smc_err *err);

/** sc_scope_is_there() - is there such a control group? A record may have any */
bool sc_scope_is_there(const char *path);

/** sc_scope_user() - make a user's name in the rules a number, in @conf, except for a record */
int sc_scope_user(struct conf *conf, struct conf_item *item, struct smc_err *err);

/** sc_scope_set() - attach @to, or, if that is NULL, detach @from */
int sc_scope_set(const struct conf_item *to, const struct conf_item *from, struct smc_err *err);

/* ---- watch.c ---- */

/**
 * sc_watch() - attach the scopes of a file to control groups that are there, and to those that come
 *
 * Each time that a group is made again. Later errors go to standard error. Return: 0 if the file
 * has no scopes; else only with an error.
 */
int sc_watch(const struct conf *file, const struct cli_tool *tool, struct smc_err *err);

/* ---- apply.c ---- */

/** sc_apply() - make all @changes, or none */
int sc_apply(struct sc_host *host, struct smc_err *err);

/**
 * sc_apply_device() - set the PNET IDs of one device that has just got its name
 *
 * Its entry is removed and added: the kernel binds an entry to the device that has the name at that
 * moment.
 */
int sc_apply_device(struct sc_host *host, const char *device, struct smc_err *err);

/* ---- keep.c ---- */

/** sc_keep() - write settings as the usual file, also for each boot; another one is renamed */
int sc_keep(const struct conf *now, const struct cli_tool *tool, struct smc_err *err);

/* ---- json.c ---- */

/**
 * sc_json() - settings as a document, whose schema is smc_conf/conf.schema.json
 *
 * Strings have the escapes of words in lines: \x41, in JSON "\\x41".
 */
json_t *sc_json(const struct conf *conf);

/* ---- print.c ---- */

/** sc_export() - append settings as a file */
void sc_export(struct out_text *text, const struct conf *conf);

int sc_print_export(const struct conf *conf, bool is_json, struct smc_err *err);

int sc_print_changes(const struct sc_host *host, bool is_json, struct smc_err *err);

int sc_print_state(const struct sc_host *host, const struct conf *file, bool is_json,
		   struct smc_err *err);
