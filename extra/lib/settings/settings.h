/* SPDX-License-Identifier: MIT */
/*
 * Settings of this host: read those of the kernel, compare them with files of smc.conf(5), apply
 * the differences or none of them. Functions return 0, or -errno with @err.
 */
#pragma once

#include "net/pairing.h"
#include "settings/conf.h"
#include "settings/conf_files.h"
#include "settings/eids.h"
#include "settings/pnet_table.h"

/**
 * struct settings_netns - current state of a network namespace
 * @name: "" for the caller's, which comes first
 * @table: the PNET table that the namespace sees; @world: its devices
 * @exclusive: kinds of settings that are exclusive in the file
 * @wants: section with its policy; NULL for none
 * @policy: change of its policy, of kind CONF_POLICY
 */
struct settings_netns {
	char *name;
	struct smc_pnet_table table;
	struct pnet_world world;
	uint32_t exclusive;
	const struct conf_section *wants;
	struct conf_item policy;
};

/** struct settings_change - from one value to another; one of them may be NULL */
struct settings_change {
	const struct conf_item *old, *new;
	size_t netns;
};

/**
 * struct settings - current and wanted settings; zero-initialize
 * @is_one: only one namespace was requested
 * @first: index in @netns of the requested one: 1 if it is not the caller's
 * @now, @wanted: sections are indexes of @netns. PNET IDs in @wanted belong to net devices by name,
 *	or to RDMA and ISM devices. Sections of @now have the current policy
 * @waiting: settings for missing devices and namespaces; sections as in the file
 * @changes: in the order that the kernel requires
 * @lock: held against other processes that change settings; 0 for none
 */
struct settings {
	struct settings_netns *netns;
	size_t n_netns, first;
	bool is_one;
	struct conf now, wanted, waiting;
	struct settings_change *changes;
	size_t n_changes;
	int lock;
};

/* ---- settings.c ---- */

/** settings_lock() - wait for other processes that change settings, until settings_free() */
void settings_lock(struct settings *host);

/**
 * settings_plan() - read the kernel's settings, and compute the changes that a file asks for
 * @file: read by conf_read() or conf_read_text(); must outlive @host
 * @netns: only this namespace, as in smc_netns_enter(); NULL for all that the file names
 *
 * Before settings_apply(), call settings_lock(). Return: 0; @host is to be freed also on failure.
 */
int settings_plan(struct settings *host, const struct conf *file, const char *netns,
		  struct smc_err *err);

/** settings_diff() - append the changes as lines: "+ eid A", "- pnetid N net eth0", "~ seid off" */
void settings_diff(struct out_text *text, const struct settings *host);

/** typedef settings_note_fn - takes the reason why a namespace was left out */
typedef void (*settings_note_fn)(const struct smc_err *err);

/* ---- state.c ---- */

/**
 * settings_read() - read the state of the kernel
 * @file: NULL to read only PNET table and sysctls of the caller's namespace
 * @all: read all named network namespaces; else those in @file
 * @note: receives what makes a namespace unreadable; only with @all
 */
int settings_read(struct settings *host, const struct conf *file, bool all, settings_note_fn note,
		  struct smc_err *err);

/**
 * settings_read_netns() - as settings_read(), for one namespace
 * @netns: as in smc_netns_enter(); named namespaces keep the name, the caller's is ""
 */
int settings_read_netns(struct settings *host, const struct conf *file, const char *netns,
			struct smc_err *err);

void settings_free(struct settings *host);

/** settings_is_normal() - true if the value is the kernel's default */
bool settings_is_normal(const struct conf_item *item);

/** settings_normal() - the kernel's default, NULL for none: then the setting is removed */
const char *settings_normal(const struct conf_item *item);

/* ---- wanted.c, changes.c ---- */

/** settings_want() - compute @wanted and @waiting from a file */
int settings_want(struct settings *host, const struct conf *file, struct smc_err *err);

/**
 * settings_compare() - compute the changes from @now to @wanted
 *
 * Return: -EOPNOTSUPP for settings that kernel or machine do not support.
 */
int settings_compare(struct settings *host, struct smc_err *err);

/* ---- policy_state.c: @at is the index of a namespace ---- */

/** settings_policy_read() - read the caller's current policy, unless the host is a record */
int settings_policy_read(struct settings *host, size_t at, struct smc_err *err);

/** settings_policy_wanted() - policy in the file; NULL to keep the current one */
const struct policy *settings_policy_wanted(const struct settings_netns *netns);

/** settings_policy_differs() - true if the policy needs a change */
bool settings_policy_differs(const struct settings *host, size_t at);

/** settings_policy_set() - set the wanted policy; with @is_back, the previous one */
int settings_policy_set(const struct settings *host, size_t at, bool is_back, struct smc_err *err);

/* ---- scopes.c ---- */

/** scopes_read() - add the scopes of this host to @now */
int scopes_read(struct settings *host, struct smc_err *err);

/** scope_is_there() - true if the control group exists. For a record: always true */
bool scope_is_there(const char *path);

/** scope_user_number() - replace user names by numbers, except for a record */
int scope_user_number(struct conf *conf, struct conf_item *item, struct smc_err *err);

/** scope_set() - attach @to; if it is NULL, detach @from */
int scope_set(const struct conf_item *to, const struct conf_item *from, struct smc_err *err);

/* ---- apply.c ---- */

/** settings_apply() - apply all @changes, or none: what was changed goes back on failure */
int settings_apply(struct settings *host, struct smc_err *err);

/** settings_take_back() - undo all @changes after settings_apply(), in reverse order */
int settings_take_back(struct settings *host, struct smc_err *err);

/**
 * settings_apply_device() - set the PNET IDs of a device that was just named
 *
 * Its entry is removed and added again: the kernel binds it to the device that has the name now.
 */
int settings_apply_device(struct settings *host, const char *device, struct smc_err *err);
